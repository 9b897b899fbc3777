import type { Exchange, Transport, WireRequest, WireResponse } from './transport.ts';

/** A transport whose code is loaded at the first call. */
export function deferredTransport(load: () => Promise<Transport>): Transport {
  let transport: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return (request) => {
    if (transport) return transport(request);
    loading ??= load().then((loaded) => (transport = loaded));
    return new DeferredExchange(loading, request);
  };
}

class DeferredExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  #exchange: Exchange | undefined;
  #reason: Error | undefined;
  #stop!: (reason: Error) => void;

  constructor(loading: Promise<Transport>, request: WireRequest) {
    const stopped = new Promise<never>((_, reject) => {
      this.#stop = reject;
    });
    stopped.catch(() => undefined);
    this.response = Promise.race([this.#open(loading, request), stopped]);
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#stop(reason);
    this.#exchange?.destroy(reason);
  }

  async #open(loading: Promise<Transport>, request: WireRequest): Promise<WireResponse> {
    const transport = await loading;
    if (this.#reason) throw this.#reason;
    this.#exchange = transport(request);
    return this.#exchange.response;
  }
}
