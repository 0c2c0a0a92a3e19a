// The job on boardgame.io: forty cells; the seat whose turn it is sets one of them; all four are told by deltas.
const { Server, Origins } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const CELLS = 40;

const Job = {
  name: "job",
  minPlayers: 4,
  maxPlayers: 4,
  deltaState: true,
  setup: () => ({ cells: Array(CELLS).fill(0) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    set: ({ G }, at, value) => {
      if (!(at >= 0 && at < CELLS)) return INVALID_MOVE;
      G.cells[at] = value;
    },
  },
};

const server = Server({ games: [Job], origins: [Origins.LOCALHOST] });
server.run({ port: 0 }).then(({ appServer }) => console.log(`port ${appServer.address().port}`));
