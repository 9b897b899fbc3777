// The next step after a failure that the service reported.
import { effortFacts } from '../../generated/effort.ts';
import { roots, type ServiceRoot } from '../../generated/routes.ts';
import { fieldsOf, jsonOrUndefined, listOf } from '../json/json-value.ts';
import { nearestName } from '../json/known-fields.ts';
import { alwaysThinksAdvice } from './always-thinks.ts';
import type { Envelope, FailureSource } from './envelope.ts';
import { modelFacts } from './model-family.ts';
import { capitalized } from './next-step.ts';

/** The hosts of the service. */
export const vendorHosts: readonly string[] = Object.values(roots.chat).map((root) => new URL(root).host);

/** Surfaces with the paths of chat. */
export const chatRoots: readonly ServiceRoot[] = ['chat', 'coding'];

/** The roots of surfaces on a host of the service; none on another host. */
export function rootsOn(host: string, surfaces: readonly ServiceRoot[]): string[] {
  return surfaces.flatMap((surface) => Object.values(roots[surface])).filter((root) => new URL(root).host === host);
}

/** The advice for a failure. `known` is the message of its code in the table. */
export function adviceOf(envelope: Envelope, known: string | undefined, source: FailureSource): string {
  const { status, surface, url = '', root = '' } = source;
  const host = URL.canParse(url) ? new URL(url).host : 'the service';
  if (known !== undefined)
    return alwaysThinksAdvice(envelope, source.body) ?? `${knownAdvice(known, envelope.message)} ${codeAdvice(envelope.code, host, source)}`.trim();
  if (status === 401) return `Check the API key. ${vendorHosts.includes(host) ? otherKeys(host, source) : ''}`.trimEnd();
  const own = rootsOn(host, surface === 'chat' || surface === 'china' ? chatRoots : [surface]);
  if (envelope.isPage && own.includes(root))
    return `A server in front of ${host} sent the page: it may be down, or block you. The base URL is right: wait, or use another network.`;
  if (status === 404 || status === 405) {
    const wanted =
      own.length === 0 || root === '' || own.includes(root)
        ? 'each surface has its own root'
        : `set it to ${own.join(' or ')}, the root of this surface`;
    return `Check the base URL of ${url}: ${wanted}.`;
  }
  if (envelope.isPage) return `Check the base URL, and any gateway before ${host}.`;
  if (status === 413 || status === 435) return 'The request or file is too large: shorten or split it.';
  return '';
}

/** The message of a code: cause and next step. Each is left out if the service said it in a sentence that users of the client can read. */
function knownAdvice(known: string, said: string): string {
  if (said.trim().split(/\s+/).length < 3 || /\p{Script=Han}/u.test(said)) return known;
  const [, step = known] = known.split('; ');
  return said.toLowerCase().includes(step.slice(0, -1)) ? '' : capitalized(step);
}

/** A sentence for the message of a code, by the request that failed. */
function codeAdvice(code: string | undefined, host: string, source: FailureSource): string {
  const { url = '', root = '', body = '' } = source;
  if (code !== undefined && parameterRefused.test(code)) return historyAdvice(body) || visionAdvice(body) || pictureAdvice(body);
  if (code === '1211' || code === 'model_not_found') return modelAdvice(body);
  if (!vendorHosts.includes(host)) return '';
  if (code !== undefined && keyRefused.test(code)) return otherKeys(host, source);
  if (code !== '1113') return '';
  const [coding = ''] = rootsOn(host, ['coding']);
  if (root === coding || rootsOn(host, ['messages', 'responses']).includes(root)) return 'A plan key covers only the models of its plan here.';
  return url === `${rootsOn(host, ['chat'])[0]}/chat/completions`
    ? `For a plan key set baseURL: '${coding}' (on the command line, --plan-endpoint).`
    : 'No coding plan covers this call.';
}

/** The model that was probably meant. Another number is another model, not a slip. */
function modelAdvice(body: string): string {
  const model = fieldsOf(jsonOrUndefined(body))['model'];
  if (typeof model !== 'string') return '';
  const digits = (text: string): string => text.replace(/\D/g, '');
  const near = nearestName(
    model,
    Object.keys(effortFacts).filter((name) => name !== model && digits(name) === digits(model)),
    2,
  );
  return near === undefined ? '' : `Did you mean ${near}?`;
}

/** Codes for a field that is wrong. Responses has a word. */
const parameterRefused = /^(1210|invalid_request(_error)?)$/;

/** Codes for a key that the host does not know. */
const keyRefused = /^(401|1000|1002|1004|authentication_error|invalid_api_key)$/;

/** How to use a key of another host: the region moves neither chat nor the services of the china host. */
function otherKeys(host: string, { surface, root = '' }: FailureSource): string {
  const [global = '', china = ''] = vendorHosts;
  const was = `Each host has its own keys, and this was ${host}`;
  if (surface === 'china') return `${was}: set chinaAPIKey to a key of it.`;
  const [region, other] = host === global ? (['china', china] as const) : (['global', global] as const);
  const option =
    surface === 'chat' ? `baseURL: '${roots[root.includes('/coding/') ? 'coding' : 'chat'][region]}', region: '${region}'` : `region: '${region}'`;
  return `${was}: for a key of ${other} set ${option} (on the command line, --region ${region}).`;
}

/** Advice for a history with a call whose arguments are not JSON: the message of the service names no field. */
function historyAdvice(body: string): string {
  if (!/"(tool_calls|tool_use|function_call)"/.test(body)) return '';
  const path = unreadableArguments(jsonOrUndefined(body));
  return path === undefined ? '' : `${path} is not JSON: send the history of answerOf(reply) instead of the raw message.`;
}

/** Path of the first call in a request whose arguments are a text that is not JSON. */
export function unreadableArguments(body: unknown): string | undefined {
  const { messages, input } = fieldsOf(body);
  for (const [index, message] of listOf(messages ?? input).entries()) {
    const { tool_calls: calls, content, arguments: given } = fieldsOf(message);
    const texts = [
      ...listOf(calls).map((call, at) => [`.tool_calls[${at}].function.arguments`, fieldsOf(fieldsOf(call)['function'])['arguments']]),
      ...listOf(content).map((block, at) => [`.content[${at}].input`, fieldsOf(block)['input']]),
      ['.arguments', given],
    ];
    for (const [place, text] of texts)
      if (typeof text === 'string' && jsonOrUndefined(text) === undefined) return `${messages ? 'messages' : 'input'}[${index}]${place}`;
  }
  return undefined;
}

/** Types of the parts that hold a picture or a film, on the three surfaces. */
export const sight: RegExp = /"type"\s*:\s*"(image|image_url|input_image|video_url)"/;

/** Advice for a picture that went to a model without vision: the message of the global host only has that a parameter is invalid. */
function visionAdvice(body: string): string {
  const model = sight.test(body) ? fieldsOf(jsonOrUndefined(body))['model'] : undefined;
  if (typeof model !== 'string' || (modelFacts(model) ?? { sees: true }).sees) return '';
  const seeing = Object.keys(effortFacts).find((name) => effortFacts[name]?.sees);
  return `${model} takes no images and videos; ${seeing} does.`;
}

/** Advice for a picture that a model with vision refused: the other form of it. The service names no cause. */
function pictureAdvice(body: string): string {
  if (!sight.test(body)) return '';
  if (/"(url|image_url)"\s*:\s*"https?:/i.test(body))
    return 'If the service cannot read the link of the picture, send its bytes: imagePart or imageBlock (on the command line, --file PATH).';
  return /"(url|image_url)"\s*:\s*"data:|"type"\s*:\s*"base64"/i.test(body)
    ? 'If the service refuses the picture as base64, send a link to it, or the base64 text without the part before its comma.'
    : 'If the service refuses the picture as base64 text, send it as a data: URI, or a link to it.';
}
