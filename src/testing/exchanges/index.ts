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
export type { RedactionProfile, RedactionRules } from './profiles.ts';
export { readExchanges } from './read.ts';
export { redactExchange } from './redact.ts';
export { sortExchanges, writeExchanges } from './write.ts';
