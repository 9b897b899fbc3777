/** A fake of the service for tests: entry `modelsvc/testing`. */
export type { Answer } from './answer.ts';
export type { Capacity } from './capacity.ts';
export { configFor, fakeKey } from './config.ts';
export { type EnvelopeShape, envelopeShapes } from './envelopes.ts';
export {
  type CassetteFetch,
  type CassetteMode,
  type CassetteTransport,
  type ExchangeBody,
  type ExchangeEnd,
  type ExchangeFile,
  type ExchangeFrame,
  type ExchangePart,
  type ExchangeRequest,
  type ExchangeResponse,
  type Json,
  type JsonObject,
  type RecordedExchange,
  type RecordOptions,
  type RedactionProfile,
  type RedactionRules,
  type ReplayOptions,
  readExchanges,
  recordExchanges,
  redactExchange,
  replayExchanges,
  sortExchanges,
  writeExchanges,
} from './exchanges/index.ts';
export { type FakeOptions, FakeService, type IdleOptions, refusedUrl, startFakeService } from './fake-service.ts';
export { type Fault, type FaultName, type FaultShape, faults, type RetryAfter } from './faults.ts';
export type { FakePart } from './form-parts.ts';
export type { Reply } from './reply.ts';
export type { FakeFile, FakeRefusal, FakeRequest } from './request.ts';
export type { RootName } from './roots.ts';
export type { TurnScript } from './script.ts';
export type { TaskKind, TaskScript } from './tasks.ts';
export type { Turn, TurnToolCall } from './turn.ts';
