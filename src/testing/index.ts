/** A fake of the service for tests: entry `modelsvc/testing`. */
export type { OperationName } from '../generated/routes.ts';
export type { Answer } from './answer.ts';
export type { Capacity } from './capacity.ts';
export { configFor, fakeKey } from './config.ts';
export { type EnvelopeShape, envelopeShapes } from './envelopes.ts';
export { type CassetteFetch, recordExchanges, replayExchanges } from './exchanges/cassette.ts';
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
} from './exchanges/form.ts';
export type { CassetteMode, CassetteTransport, RecordOptions, ReplayOptions } from './exchanges/options.ts';
export type { RedactionProfile, RedactionRules } from './exchanges/profiles.ts';
export { readExchanges } from './exchanges/read.ts';
export { redactExchange } from './exchanges/redact.ts';
export { sortExchanges, writeExchanges } from './exchanges/write.ts';
export { FakeService, refusedUrl, startFakeService } from './fake-service.ts';
export { type Fault, type FaultName, faults, type RetryAfter } from './faults.ts';
export type { FakePart } from './form-parts.ts';
export type { FakeOptions, IdleOptions } from './options.ts';
export type { Reply } from './reply.ts';
export type { FakeFile, FakeRefusal, FakeRequest } from './request.ts';
export type { RootName } from './roots.ts';
export type { ScriptedOperation, TurnScript } from './script.ts';
export type { TaskKind, TaskScript } from './tasks.ts';
export type { Turn, TurnToolCall } from './turn.ts';
