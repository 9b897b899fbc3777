import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../../src/', import.meta.url);

/** The reply of an attempt, and the public name of the fake service for the reply that it gives. */
const twice = ['Reply'];

test('each name of a type has one meaning', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.startsWith('generated/'));
  const places = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(new URL(file, source), 'utf8').matchAll(/^(?:export )?(?:abstract )?(?:type|class|interface) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), file]);
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([name, declared]) => declared.length > 1 && !twice.includes(name))).toEqual([]);
});
