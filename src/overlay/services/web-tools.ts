import { toolsTokenize, toolsWebReader, toolsWebSearch } from '../../generated/routes.ts';
import type {
  TokenizeRequest,
  TokenizeResponse,
  WebReaderRequest,
  WebReaderResponse,
  WebSearchRequest,
  WebSearchResponse,
} from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { inServiceWords } from '../call/request/service-words.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { isFields } from '../json/json-value.ts';
import type { Without } from '../json/known-fields.ts';
import { type ChatRequest, chatBody, type Message } from '../surfaces/chat/request.ts';

/** A conversation whose tokens to count: messages as in chat, including `images`. */
export type TokenCountRequest = Without<TokenizeRequest, 'messages'> & { messages: Message[] };

/** Web search, page reader and tokenizer as separate calls. Every call is billed. Without a balance it fails with code 1113. */
export class Tools {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Search the web. The query has at most 70 characters. `count` is 1 to 50, and a multiple of 10 with `search_pro_sogou`.
   *
   * `search_intent` is sent as false by default, because one description of the service requires it. Error codes: 1701 for
   * too many searches at once, 1702 for no available engine, 1703 for no usable result.
   */
  webSearch<Names extends PropertyKey = never>(request: Extensible<WebSearchRequest, Names>): Promise<Received<WebSearchResponse>>;
  webSearch<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<WebSearchRequest, Names>): Promise<Received<WebSearchResponse>>;
  webSearch(...given: Called<[request: WebSearchRequest]>): Promise<Received<WebSearchResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const body = isFields(request) && request.search_intent === undefined ? { ...request, search_intent: false } : request;
    return requestJson(this.#settings, toolsWebSearch, ctx, () => ({ body }));
  }

  /** Read a public web page as text, Markdown by default. The service fetches the page; `timeout` is the service's own limit, in seconds. */
  webReader<Names extends PropertyKey = never>(request: Extensible<WebReaderRequest, Names>): Promise<Received<WebReaderResponse>>;
  webReader<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<WebReaderRequest, Names>): Promise<Received<WebReaderResponse>>;
  webReader(...given: Called<[request: WebReaderRequest]>): Promise<Received<WebReaderResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, toolsWebReader, ctx, () => ({ body: request }));
  }

  /**
   * Count the prompt tokens of messages and tools, without running the model. Tool schemas are counted as chat would send them.
   * `messages` must contain at least one message with role `user`.
   */
  tokenize<Names extends PropertyKey = never>(request: Extensible<TokenCountRequest, Names>): Promise<Received<TokenizeResponse>>;
  tokenize<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<TokenCountRequest, Names>): Promise<Received<TokenizeResponse>>;
  tokenize(...given: Called<[request: TokenCountRequest]>): Promise<Received<TokenizeResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const compat = !this.#settings.disableToolSchemaCompat;
    return requestJson(this.#settings, toolsTokenize, ctx, () => {
      const { effort: _, ...given } = chatBody<TokenCountRequest & Pick<ChatRequest, 'effort'>, false>(request, compat, false);
      return inServiceWords(given, 'chat', this.#settings.endpoints.chat, this.#settings);
    });
  }
}
