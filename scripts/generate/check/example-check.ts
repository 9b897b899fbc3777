import type { Ajv2020 } from 'ajv/dist/2020.js';
import { forValidator } from '../document/json-schema.ts';
import type { Operation } from '../document/operations.ts';
import { isObject, type Json, type JsonObject } from '../document/source.ts';

interface Problem {
  readonly place: readonly (string | number)[];
  readonly text: string;
}

/** Finds examples that do not match their schema, with the ajv of the document. The mock would serve them, and the tests would rely on them. */
export function* exampleProblems(ajv: Ajv2020, operations: readonly Operation[]): Generator<Problem> {
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const check = (schema: Json, value: Json | undefined, place: Problem['place'], at: readonly string[] = []): Problem | undefined => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(forValidator(schema) as JsonObject);
    compiled.set(key, validate);
    if (validate(value)) return undefined;
    const first = validate.errors?.[0];
    // An event is part of a text and is reported at the place of that text.
    const steps = at.length === 0 ? [] : (first?.instancePath ?? '').split('/').slice(1);
    return { place: [...place, ...at, ...steps], text: `the example does not fit its schema: ${first?.instancePath || 'it'} ${first?.message}` };
  };
  for (const operation of operations) {
    for (const parameter of operation.parameters) {
      const problem = check(parameter.schema, parameter.example, parameter.place);
      if (problem) yield problem;
    }
    for (const part of [...(operation.body ? [operation.body] : []), ...operation.replies])
      for (const [name, example] of Object.entries(part.examples)) {
        const value = isObject(example) ? example['value'] : undefined;
        const place = [...part.place, 'examples', name];
        const events = 'eventSchema' in part ? part.eventSchema : undefined;
        const problem = check(part.schema, value, place, ['value']);
        if (problem) yield problem;
        if (events === undefined || typeof value !== 'string') continue;
        for (const event of streamPayloads(value)) {
          const wrong = event === undefined ? { place, text: 'a data line is not JSON' } : check(events, event, place);
          if (wrong) yield wrong;
        }
      }
  }
}

function streamPayloads(text: string): (Json | undefined)[] {
  const payloads = text.split('\n').filter((line) => line.startsWith('data:') && line.slice(5).trim() !== '[DONE]');
  return payloads.map((line) => {
    try {
      return JSON.parse(line.slice(5)) as Json;
    } catch {
      return undefined;
    }
  });
}
