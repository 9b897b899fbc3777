import { type Fields, isFields, jsonOrUndefined } from '../../json/json-value.ts';

/** The id at the beginning of a chunk that may be cut off. */
const idOfHead = /^\{\s*"id"\s*:\s*"([^"\\]+)"/;
const dataField = 'data:';

/**
 * The whole chunk at the end of a frame that begins with the cut-off head of another answer's chunk: `{"id":"A","objdata: {"id":"B",…}`. Some
 * GLM streams have such frames (evidence: reported). Undefined if the head may be a part of this answer, and if the rest is not a whole chunk.
 */
export function chunkAfterHead(data: string): Fields | undefined {
  const start = lastObjectStart(data);
  const head = withoutField(data.slice(0, Math.max(start, 0)));
  if (!idOfHead.test(head)) return undefined;
  const chunk = jsonOrUndefined(data.slice(start));
  if (!isFields(chunk) || typeof chunk['id'] !== 'string' || chunk['id'] === '' || !Array.isArray(chunk['choices'])) return undefined;
  const isForeign = !head.includes(JSON.stringify(chunk['id'])) && jsonOrUndefined(head) === undefined;
  return isForeign ? chunk : undefined;
}

/** A head without the field name of the frame that follows. */
function withoutField(text: string): string {
  const head = text.trimEnd();
  return head.endsWith(dataField) ? head.slice(0, -dataField.length).trimEnd() : head;
}

const [quote, backslash] = [0x22, 0x5c];

/** Start of the JSON object at the end of a text; -1 if there is none. Reads backward, and each character at most twice. */
function lastObjectStart(text: string): number {
  if (!text.trimEnd().endsWith('}')) return -1;
  let depth = 0;
  let inString = false;
  for (let at = text.lastIndexOf('}'); at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (!inString || !isEscaped(text, at)) inString = !inString;
    } else if (!inString) {
      if (code === 0x7d || code === 0x5d) depth++;
      else if ((code === 0x7b || code === 0x5b) && --depth === 0) return at;
    }
  }
  return -1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}
