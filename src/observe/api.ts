// A namespace import: version 1.9 of the API has no loggers, and a named import of them would fail.
import * as api from '@opentelemetry/api';
import { version } from '../generated/version.ts';
import { Instruments } from './instruments.ts';
import type { CheckedOptions, OtelLogger } from './options.ts';

const scope = 'modelsvc';
const schema = { schemaUrl: 'https://opentelemetry.io/schemas/gen-ai/1.42.0' };

interface Logs {
  getLogger(name: string, version: string, options: typeof schema): OtelLogger;
}

/** The log API of `@opentelemetry/api` 1.10 and later. */
export function logsApi(): Logs | undefined {
  return Reflect.get(api, 'logs') as Logs | undefined;
}

/** The providers that an observer writes to. Looked up at each operation, because programs may set up their SDK after their clients. */
export class Outlets {
  readonly #options: CheckedOptions;
  readonly #legacy: boolean;
  #meterProvider: api.MeterProvider | undefined;
  #instruments: Instruments | undefined;

  constructor(options: CheckedOptions) {
    this.#options = options;
    this.#legacy = options.legacyNames ?? false;
    if (options.meter) this.#instruments = new Instruments(options.meter, this.#legacy);
  }

  /** Undefined without an SDK. */
  tracer(): api.Tracer | undefined {
    if (this.#options.tracer) return this.#options.tracer;
    const tracer = api.trace.getTracerProvider().getTracer(scope, version, schema);
    // Without an SDK, the API returns its proxy.
    return api.ProxyTracer && tracer instanceof api.ProxyTracer ? undefined : tracer;
  }

  /** Undefined without an SDK. */
  instruments(): Instruments | undefined {
    if (this.#options.meter) return this.#instruments;
    const provider = api.metrics.getMeterProvider();
    if (provider !== this.#meterProvider) {
      const meter = provider.getMeter(scope, version, schema);
      this.#meterProvider = provider;
      this.#instruments = meter === api.createNoopMeter() ? undefined : new Instruments(meter, this.#legacy);
    }
    return this.#instruments;
  }

  logger(): OtelLogger | undefined {
    return this.#options.logger ?? logsApi()?.getLogger(scope, version, schema);
  }
}
