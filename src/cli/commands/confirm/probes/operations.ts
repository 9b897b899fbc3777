// The operations that no other probe calls: a request without its fields, or with an id that does not exist, is refused for free.
import { answersOnId, answersOnPath } from './judges.ts';
import { bothKeys, type ClaimProbe, type ClaimSource, messagesPath, responsesPath } from './probe.ts';

/** `known` contains the claims that other probes judge. */
export function operationProbes(source: ClaimSource, known: ReadonlySet<string>): ClaimProbe[] {
  return source.matching(/^operation:(.+)$/).flatMap(({ claim, parts: [operation = ''] }) => {
    const [, pointer, verb] = /^spec\/openapi\.yaml#\/paths\/([^/]+)\/([a-z]+)$/.exec(claim.place) ?? [];
    if (known.has(claim.id) || pointer === undefined || verb === undefined) return [];
    const template = pointer.replaceAll('~1', '/').replaceAll('~0', '~');
    const hasId = template.includes('{');
    const isShared = template.startsWith(messagesPath) || template.startsWith(responsesPath);
    const probe: ClaimProbe = {
      name: operation,
      method: verb.toUpperCase(),
      template,
      path: template.replace(/\{format_type\}/, 'text').replace(/\{[^}]+\}/g, 'modelsvc-confirm'),
      ...(verb === 'post' && { body: {} }),
      ...(isShared && { keys: bothKeys }),
      judges: [{ claim, judge: hasId ? answersOnId() : answersOnPath() }],
    };
    return [probe];
  });
}
