/** How long to look: the quick form stays under 3 minutes. */
export const quick = {
  rounds: 5,
  warmMs: 800,
  budgetMs: 100,
  pacedRounds: 3,
  pacedEvents: 40,
  firstStreams: 20,
  openStreams: 500,
  memoryRounds: 1,
  slopeCalls: 5000,
  slopePeers: false,
  slopeNoise: 100,
  coldRounds: 3,
  uploadRounds: 2,
  generateRounds: 1,
};

export const full = {
  rounds: 15,
  warmMs: 2000,
  budgetMs: 400,
  pacedRounds: 9,
  pacedEvents: 150,
  firstStreams: 100,
  openStreams: 2000,
  memoryRounds: 3,
  slopeCalls: 50_000,
  slopePeers: true,
  slopeNoise: 10,
  coldRounds: 11,
  uploadRounds: 7,
  generateRounds: 3,
};
