// The job on Colyseus: forty cells; the seat whose turn it is sets one of them; all four are told.
// `node colyseus.mjs`: patches go out on the default tick of 50 ms. `node colyseus.mjs at-once`: after every action.
import { Room, Server } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";

const CELLS = 40;
const SEATS = 4;
const atOnce = process.argv[2] === "at-once";

const Table = schema({ cells: t.array("uint8"), turn: t.uint8() });

class Job extends Room {
  maxClients = SEATS;

  onCreate() {
    this.state = new Table();
    for (let i = 0; i < CELLS; i++) this.state.cells.push(0);
    this.state.turn = 0;
    if (atOnce) this.patchRate = null;
    this.onMessage("set", (client, { at, value }) => {
      if (client.userData.seat !== this.state.turn || !(at >= 0 && at < CELLS)) return;
      this.state.cells[at] = value;
      this.state.turn = (this.state.turn + 1) % SEATS;
      if (atOnce) this.broadcastPatch();
    });
  }

  onJoin(client, options) {
    client.userData = { seat: options.seat };
  }
}

const server = new Server({ transport: new WebSocketTransport({}), greet: false });
server.define("job", Job);
await server.listen(0, "127.0.0.1");
console.log(`port ${server.transport.server.address().port}`);
