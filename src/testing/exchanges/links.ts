// Links and queries: the values of a query are credentials, apart from a short list.
import { isCredentialParameter } from '../../overlay/secrets/credential-names.ts';
import { isGenerated } from './ids.ts';

export const removed = '<removed>';

/** Parameters that select and count. Any other may sign the link. */
const harmless =
  /^(?:after|alt|api-version|before|beta|cursor|format|from|height|lang|language|limit|model|offset|order|page|page_?(?:num|size)|purpose|q|query|size|sort|startTime|endTime|status|stream|to|type|v|version|voiceName|voiceType|width)$/i;
const plainValue = /^[\w.,:+-]{0,24}$/;

/** True for a parameter whose value may be kept. To the own host, which gets a key anyway, all may that do not carry one. */
export function isKeptParameter(name: string, value: string, isOwn: boolean): boolean {
  if (value === '') return true;
  return isOwn ? !isCredentialParameter(name) : harmless.test(name) && plainValue.test(value) && !isGenerated(value);
}

/** A pattern for the whole link would keep a place to return to for each of its characters. */
const beginning = /\b[a-z][a-z+.-]{1,10}:\/\//gi;
const afterLink = /[\s"'<>`]/g;
/** Between parameters, also where a text is JSON or HTML. */
const separator = /(&amp;|\\+u0026|[?&#])/i;

/** A text whose links have no query values and no passwords. `onRemoved` gets the values. */
export function withoutLinkSecrets(text: string, onRemoved: (value: string) => void): string {
  if (!text.includes('://')) return text;
  let clean = '';
  let done = 0;
  for (const { index } of text.matchAll(beginning)) {
    if (index < done) continue;
    afterLink.lastIndex = index;
    const end = afterLink.exec(text)?.index ?? text.length;
    clean += text.slice(done, index) + cleanLink(text.slice(index, end), onRemoved);
    done = end;
  }
  return clean + text.slice(done);
}

function cleanLink(link: string, onRemoved: (value: string) => void): string {
  const [address = '', ...query] = link.split(separator);
  const parts = query.map((part) => {
    const at = part.indexOf('=');
    const value = part.slice(at + 1, endOf(part));
    if (at < 1 || isKeptParameter(part.slice(0, at), value, false)) return part;
    onRemoved(value);
    return `${part.slice(0, at + 1)}${removed}${part.slice(at + 1 + value.length)}`;
  });
  return withoutPassword(address, onRemoved) + parts.join('');
}

/** Before the end of a sentence, of a link in Markdown, or of a text in JSON. */
function endOf(part: string): number {
  let end = part.length;
  while (end > 0 && ').,;:!*]}\\'.includes(part[end - 1] ?? '')) end -= 1;
  return end;
}

function withoutPassword(address: string, onRemoved: (value: string) => void): string {
  const start = address.indexOf('://') + 3;
  const user = address.slice(start).split('/', 1)[0] ?? '';
  const end = user.lastIndexOf('@');
  const at = user.indexOf(':');
  if (end < 0 || at < 0 || at > end) return address;
  onRemoved(user.slice(at + 1, end));
  return `${address.slice(0, start)}${removed}${address.slice(start + end)}`;
}
