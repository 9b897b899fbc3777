/** A fake of the service for tests: entry `modelsvc/testing`. */

export type { OperationName } from '../generated/routes.ts';
export { configFor, fakeKey } from './config.ts';
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
export { writeExchanges } from './exchanges/write.ts';
export { type Fault, type FaultName, faults, type RetryAfter } from './faults.ts';
export type { Capacity } from './memory/capacity.ts';
export type { TaskKind, TaskScript } from './memory/tasks.ts';
export type { Reply } from './replies/reply.ts';
export type { Turn, TurnToolCall } from './replies/turn.ts';
export type { EnvelopeShape } from './requests/envelopes.ts';
export type { FakePart } from './requests/form-parts.ts';
export type { FakeFile, FakeRefusal, FakeRequest } from './requests/request.ts';
export type { RootName } from './requests/roots.ts';
export type { Answer } from './service/answer.ts';
export { FakeService, refusedUrl, startFakeService } from './service/fake-service.ts';
export type { FakeOptions, IdleOptions } from './service/options.ts';
export type { ScriptedOperation, TurnScript } from './service/script.ts';
