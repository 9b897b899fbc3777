import { toolsTokenize, toolsWebReader, toolsWebSearch } from '../../generated/routes.ts';
import type {
  TokenizeRequest,
  TokenizeResponse,
  WebReaderRequest,
  WebReaderResponse,
  WebSearchRequest,
  WebSearchResponse,
} from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { type ChatRequest, chatBody, type Message } from '../surfaces/chat-request.ts';

/** A conversation to count: messages as chat takes them, `images` included. */
export type TokenCountRequest = Omit<TokenizeRequest, 'messages'> & { messages: Message[] };

/** Web search, page reader and tokenizer as calls of their own. Each call is charged: an empty balance is refused with code 1113. */
export class Tools {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Search the web. The query has 70 characters at most; `count` is 1 to 50, and only tens with `search_pro_sogou`.
   *
   * `search_intent` goes out as false when it is absent: one description of the service requires it. Fails with code 1701 when too many
   * searches run at once, 1702 when no engine is available and 1703 when the engine found nothing usable.
   */
  webSearch(ctx: CallContext, request: WebSearchRequest): Promise<WebSearchResponse> {
    const body = isFields(request) && request.search_intent === undefined ? { ...request, search_intent: false } : request;
    return requestJson(this.#settings, toolsWebSearch, ctx, () => ({ body }));
  }

  /** Read a public web page as text, Markdown by default. The service fetches it; `timeout` is its own bound and counts seconds. */
  webReader(ctx: CallContext, request: WebReaderRequest): Promise<WebReaderResponse> {
    return requestJson(this.#settings, toolsWebReader, ctx, () => ({ body: request }));
  }

  /**
   * Count the tokens that messages and tools cost as a prompt, without running the model. Tool schemas are counted as chat would send them.
   * Messages hold at least one of role `user`.
   */
  async tokenize(ctx: CallContext, request: TokenCountRequest): Promise<TokenizeResponse> {
    const compat = !this.#settings.disableToolSchemaCompat;
    return requestJson(this.#settings, toolsTokenize, ctx, () => ({ body: chatBody(request as ChatRequest, compat, false) }));
  }
}

function isFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
