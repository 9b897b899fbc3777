// Replies of embeddings and rerank that fit their requests, without a model: texts with common words are near each other.
import { embeddingsCreate, type Route, rerankCreate } from '../../generated/routes.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../../overlay/json/json-value.ts';
import type { FakeRequest } from '../requests/request.ts';

const charactersPerToken = 4;
const defaultDimensions: Readonly<Record<string, number>> = { 'embedding-2': 1024 };

/** The reply to a request for vectors or scores. Undefined for other operations. */
export function retrievalReply(route: Route, { body, requestId }: FakeRequest): Fields | undefined {
  if (route === embeddingsCreate) return embeddings(fieldsOf(body));
  if (route === rerankCreate) return ranking(fieldsOf(body), requestId);
  return undefined;
}

function embeddings({ model, input, dimensions, encoding_format: format }: Fields): Fields {
  const texts = (typeof input === 'string' ? [input] : listOf(input)).map(textOf);
  const length = typeof dimensions === 'number' && dimensions > 0 ? Math.floor(dimensions) : (defaultDimensions[textOf(model)] ?? 2048);
  const prompt = tokensOf(texts);
  return {
    model,
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: encoded(vectorOf(text, length), format) })),
    usage: { prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt },
  };
}

/** Unconfirmed: the format is only in an earlier description. openai asks for it by default, and reads a list of numbers as base64. */
function encoded(vector: readonly number[], format: unknown): readonly number[] | string {
  return format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
}

/** A vector of length 1. Each word of the text points in a direction of its own. */
function vectorOf(text: string, length: number): number[] {
  const vector = new Array<number>(length).fill(0);
  for (const word of [...wordsOf(text), '']) {
    const at = hashOf(word) % length;
    vector[at] = (vector[at] ?? 0) + (word === '' ? 0.1 : 1);
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => Number((value / norm).toFixed(6)));
}

function ranking({ query, documents, top_n: most, return_documents: withText, request_id: own }: Fields, id: string): Fields {
  const texts = listOf(documents).map(textOf);
  const asked = wordsOf(textOf(query));
  const scored = texts.map((document, index) => ({ index, relevance_score: scoreOf(asked, document), ...(withText === true && { document }) }));
  scored.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index);
  const tokens = tokensOf([textOf(query), ...texts]);
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    request_id: own ?? id,
    results: typeof most === 'number' && most > 0 ? scored.slice(0, most) : scored,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** The part of the asked words that the document has. */
function scoreOf(asked: readonly string[], document: string): number {
  const words = new Set(wordsOf(document));
  const found = asked.filter((word) => words.has(word)).length;
  return Number(((found + 0.01) / (asked.length + 0.01)).toFixed(4));
}

/** Words of languages with spaces, and single characters of those without. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? [];
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(text.length / charactersPerToken), 0);
}

/** FNV-1a, 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const letter of word) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
