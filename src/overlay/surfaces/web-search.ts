import type { AnthropicMessageResponse, AsyncResult, ChatResponse, ResponsesResponse } from '../../generated/types.ts';
import { type Fields, fieldsOf, isFields, labelOf, listOf, textOf } from '../json/json-value.ts';

/** The searches of the service for an answer. */
export interface WebSearches {
  /** Whether the service searched. */
  readonly ran: boolean;
  /** The pages that the answer cites, each once; all pages found if it cites none. Empty if the service names none. */
  readonly sources: readonly { readonly title: string; readonly url: string }[];
  /** Codes of failed searches, on messages: `max_uses_exceeded` and others. */
  readonly errors: readonly string[];
}

type ReplyOrJob = ChatResponse | AsyncResult | AnthropicMessageResponse | ResponsesResponse;

interface RunOfTools {
  readonly response: ReplyOrJob | undefined;
  readonly transcript: readonly object[];
}

/**
 * Whether the service searched the web for an answer, and its sources. A reply with status 200 does not prove it: without money, or with a tool of
 * an unknown version, the service answers without a search and without an error.
 *
 * Evidence of a search is on chat a source, which needs `search_result: true` in the request. On messages it is a call with its result, or
 * `usage.server_tool_use.web_search_requests`. On Responses it is an item `web_search_call`.
 *
 * After `runWithTools`, pass `toolRun(reply)`: an earlier reply of the run may have the search.
 */
export function webSearchOf(reply: ReplyOrJob | RunOfTools): WebSearches {
  const { response = reply, transcript, usage } = fieldsOf(reply);
  const { web_search: found, output, content } = fieldsOf(response);
  const turn = transcript === undefined ? [...listOf(content), ...listOf(output)].map(fieldsOf) : sinceQuestion(listOf(transcript).map(fieldsOf));
  const blocks = turn.flatMap((one) => [one, ...listOf(one['content']).map(fieldsOf)]);
  const calls = new Set(blocks.filter(({ type }) => type === 'server_tool_use').map(({ id }) => id));
  const results = blocks.filter(({ type, tool_use_id: id }) => type === 'web_search_tool_result' && calls.has(id)).map((block) => block['content']);
  const items = blocks.filter(({ type, status }) => type === 'web_search_call' && status !== 'failed');
  const pages = [
    ...listOf(found),
    ...results.flatMap(listOf),
    ...items.flatMap(({ action, result }) => [...listOf(fieldsOf(action)['source']), ...listOf(result)]),
  ];
  const cited = blocks.flatMap(citationsIn);
  const counted = fieldsOf(fieldsOf(usage)['server_tool_use'])['web_search_requests'];
  return {
    ran: listOf(found).length > 0 || results.some(Array.isArray) || items.length > 0 || (typeof counted === 'number' && counted > 0),
    sources: sourcesIn(cited.length > 0 ? cited : pages),
    errors: results.filter(isFields).map(({ error_code: code }) => labelOf(code)),
  };
}

/** The messages and items since the last message of the user that is more than results of tools. */
function sinceQuestion(transcript: readonly Fields[]): readonly Fields[] {
  const start = transcript.findLastIndex(
    ({ role, content }) =>
      role === 'user' && !(listOf(content).length > 0 && listOf(content).every((block) => fieldsOf(block)['type'] === 'tool_result')),
  );
  return transcript.slice(start + 1);
}

function citationsIn({ type, citations, annotations }: Fields): readonly unknown[] {
  return type === 'text' ? listOf(citations) : listOf(annotations).filter((one) => fieldsOf(one)['type'] === 'url_citation');
}

function sourcesIn(pages: readonly unknown[]): WebSearches['sources'] {
  const sources = pages.map(fieldsOf).map(({ title, url, link }) => ({ title: textOf(title), url: textOf(url) || textOf(link) }));
  const byPage = new Map(sources.filter(({ title, url }) => title + url !== '').map((source) => [source.url || source.title, source] as const));
  return [...byPage.values()];
}
