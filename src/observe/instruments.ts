import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { OperationOutcome } from '../overlay/hooks/hook.ts';
import { errorClass, knownModel, type SpanTokens } from './outcome.ts';
import type { SpanShape } from './span-shape.ts';

const secondBuckets = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const agentBuckets = Array.from({ length: 13 }, (_, power) => 2 ** power / 10);
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);
const callBuckets = Array.from({ length: 8 }, (_, power) => 2 ** power);

const inference = 'gen_ai.client.inference';
const operations = 'gen_ai.client.operation';

/** The metrics of the conventions. */
export class Instruments {
  readonly #meter: Meter;
  readonly #legacy: boolean;
  readonly #made = new Map<string, Histogram | Counter>();

  constructor(meter: Meter, legacy: boolean) {
    this.#meter = meter;
    this.#legacy = legacy;
  }

  /** Time between two chunks of a stream. */
  chunk({ operation, measured }: SpanShape, ms: number): void {
    if (isInference(operation)) this.#seconds(`${inference}.time_per_output_chunk`, `${operations}.time_per_output_chunk`, ms, measured);
  }

  /** End of an operation with a span. Codes and models that the package does not list are left out. */
  ended(shape: SpanShape, outcome: OperationOutcome, tokens: SpanTokens | undefined, calls: { inference: number; tools: number }): void {
    const { operation, isClient, measured } = shape;
    const { kind, error, durationMs, firstChunkMs } = outcome;
    const model = knownModel(outcome.model, measured['gen_ai.request.model']);
    const named = model === undefined ? measured : { ...measured, 'gen_ai.response.model': model };
    const timed = kind === 'error' ? { ...named, 'error.type': errorClass(error) } : named;
    if (!isClient) return this.#internal(operation, durationMs, timed, calls);
    if (!isInference(operation)) {
      const name = operation === 'embeddings' ? 'gen_ai.client.embeddings.duration' : `${operations}.duration`;
      this.#seconds(name, `${operations}.duration`, durationMs, timed);
      if (operation === 'embeddings' && tokens) this.#tokens('gen_ai.client.embeddings.operation.input_tokens', 'input', tokens.input, named);
      return;
    }
    this.#seconds(`${inference}.duration`, `${operations}.duration`, durationMs, timed);
    if (firstChunkMs !== undefined) this.#seconds(`${inference}.time_to_first_chunk`, `${operations}.time_to_first_chunk`, firstChunkMs, named);
    if (tokens) this.#tokens(`${inference}.operation.input_tokens`, 'input', tokens.input, named);
    if (tokens?.output !== undefined) this.#tokens(`${inference}.operation.output_tokens`, 'output', tokens.output, named);
    // The service does not report the modality of tokens.
    const counted = { ...named, 'gen_ai.token.modality': 'unknown' };
    this.#count('input_tokens', tokens?.input ?? 0, counted);
    this.#count('output_tokens', tokens?.output ?? 0, counted);
    if (tokens?.cacheRead) this.#count('cache_read.input_tokens', tokens.cacheRead, counted);
    if (tokens?.cacheWrite) this.#count('cache_write.input_tokens', tokens.cacheWrite, counted);
    if (tokens?.reasoning) this.#count('reasoning.output_tokens', tokens.reasoning, counted);
  }

  #internal(operation: string, durationMs: number, timed: Attributes, calls: { inference: number; tools: number }): void {
    if (operation === '') return;
    const { 'gen_ai.operation.name': _name, ...attributes } = timed;
    const buckets = operation === 'invoke_agent' ? agentBuckets : secondBuckets;
    this.#histogram(`gen_ai.${operation}.duration`, 's', buckets).record(durationMs / 1000, attributes);
    if (operation !== 'invoke_agent') return;
    this.#histogram('gen_ai.invoke_agent.inference_calls', '{inference_call}', callBuckets).record(calls.inference);
    this.#histogram('gen_ai.invoke_agent.tool_calls', '{tool_call}', callBuckets).record(calls.tools);
  }

  #seconds(name: string, legacyName: string, ms: number, attributes: Attributes): void {
    this.#histogram(name, 's', secondBuckets).record(ms / 1000, attributes);
    if (this.#legacy && name !== legacyName) this.#histogram(legacyName, 's', secondBuckets).record(ms / 1000, attributes);
  }

  #tokens(name: string, type: 'input' | 'output', count: number, attributes: Attributes): void {
    this.#histogram(name, '{token}', tokenBuckets).record(count, attributes);
    if (this.#legacy)
      this.#histogram('gen_ai.client.token.usage', '{token}', tokenBuckets).record(count, { ...attributes, 'gen_ai.token.type': type });
  }

  #count(name: string, count: number, attributes: Attributes): void {
    const full = `${inference}.usage.${name}`;
    (this.#once(full, () => this.#meter.createCounter(full, { unit: '{token}' })) as Counter).add(count, attributes);
  }

  #histogram(name: string, unit: string, explicitBucketBoundaries: number[]): Histogram {
    return this.#once(name, () => this.#meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries } })) as Histogram;
  }

  #once(name: string, make: () => Histogram | Counter): Histogram | Counter {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}

function isInference(operation: string): boolean {
  return operation === 'chat' || operation === 'generate_content';
}
