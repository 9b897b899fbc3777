export { type CassetteFetch, recordExchanges, replayExchanges } from './cassette.ts';
export type {
  ExchangeBody,
  ExchangeEnd,
  ExchangeFile,
  ExchangeFrame,
  ExchangePart,
  ExchangeRequest,
  ExchangeResponse,
  Json,
  JsonObject,
  RecordedExchange,
} from './form.ts';
export type { CassetteMode, CassetteTransport, RecordOptions, ReplayOptions } from './options.ts';
export type { RedactionProfile, RedactionRules } from './profiles.ts';
export { readExchanges } from './read.ts';
export { redactExchange } from './redact.ts';
export { sortExchanges, writeExchanges } from './write.ts';
