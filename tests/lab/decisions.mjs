// The page's own engine on the command line: a game per line of JSON on standard input, and on standard
// output the decisions of all rounds as 32-bit numbers, then regret, plays and revenue as 64-bit floats.

import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { Game } = await import(pathToFileURL(process.argv[2]).href);

function write(array) {
  const bytes = Buffer.from(array.buffer);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const asked = JSON.parse(line);
  const game = new Game(asked);
  const choices = new Int32Array(asked.horizon);
  for (let t = 0; t < asked.horizon; t++) choices[t] = game.step();
  write(choices);
  write(Float64Array.of(game.regret));
  write(game.plays);
  write(game.revenue);
}
