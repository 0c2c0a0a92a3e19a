// The bot of clients/bots/example.py on Node: npm install, then node example-bot.mjs URL ROOM takes a seat and plays.
// It needs nothing but a WebSocket and a JSON Patch library; the messages are those of protocol/PROTOCOL.md.

import { randomBytes } from "node:crypto";
import jsonpatch from "fast-json-patch";
import WebSocket from "ws";

const [url, room] = process.argv.slice(2);
const token = randomBytes(16).toString("base64url");
let state, seat, at, socket;

const OVERTAKEN = new Set(["stale", "not_your_turn", "game_over"]); // somebody was faster: the clock, say
const PASSING = new Set(["unavailable", "unknown_outcome", "rate_limited", "draining"]); // come back and go on

const choose = (_state, actions) => actions[Math.floor(Math.random() * actions.length)];

const send = (message) => socket.send(JSON.stringify({ id: 0, room, ...message }));

const receive = {
  ok: (message) => { if ("seat" in message) seat = message.seat; },
  error: ({ code, message }) => {
    if (OVERTAKEN.has(code)) return;
    if (!PASSING.has(code)) throw new Error(`${code}: ${message}`);
    socket.close();
  },
  snapshot: (message) => { state = message.state; },
  patch: (message) => { state = jsonpatch.applyPatch(state, message.ops).newDocument; },
  turn: ({ actions, seq }) => {
    if (state.turn?.seats.includes(seat)) send({ t: "act", seq, action: choose(state, actions) });
  },
};

function connect() {
  socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`, "pharos.v1+json");
  socket.on("open", () => send({ t: "join", token, legal: true, ...(at && { since: at }) }));
  socket.on("message", (frame) => {
    const message = JSON.parse(frame);
    receive[message.t]?.(message);
    if (message.t === "snapshot" || message.t === "patch") at = { seq: message.seq, tag: message.tag };
    if (state?.room.status === "finished" || state?.room.status === "abandoned") {
      console.log(JSON.stringify(state.result));
      process.exit();
    }
  });
  socket.on("error", () => {}); // "close" follows
  socket.on("close", () => setTimeout(connect, 500)); // and goes on where its state stands
}

const answer = await fetch(`${url}/api/rooms/${room}/seats`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ kind: "bot", token }),
});
if (!answer.ok) throw new Error(await answer.text());
connect();
