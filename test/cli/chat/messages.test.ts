import { expect, it } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';

it.each(['', ' --no-stream'])('messages --web-search goes on after a pause, and prints the sources or their absence%s', async (more) => {
  const { fake, modelsvc } = await withFake();
  fake.messages
    .reply({ text: 'I search. ', webSearch: [], finish: 'pause_turn' })
    .reply({ text: 'Rain.', webSearch: [{ title: 'A', link: 'https://a.example/' }] });
  const line = `messages Rain? --web-search${more}`.split(' ');
  const home = { env: { HOME: await newHome() } };
  expect(await modelsvc(line, home)).toEqual({ stdout: 'I search. Rain.\n', stderr: 'source: A https://a.example/\n', code: 0 });
  const [first] = fake.requests;
  expect(first?.body).toMatchObject({ tools: [{ type: 'web_search_20260209', name: 'web_search' }] });
  expect(first?.headers['anthropic-beta']).toBe('code-execution-web-tools-2026-02-09');
  // The conversation has both halves.
  fake.messages.reply('Yes.');
  expect((await modelsvc([...line, '-c'], home)).stderr).toMatch(/^Continues "Rain\?" .*\nThe reply shows no search of the web\.\n$/);
  expect(fake.requests.at(-1)?.body).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'assistant' }, { role: 'user' }] });
  expect(await modelsvc([...line, '--tool', '{"name":"x"}'], home)).toMatchObject(ends(2, '--tool and --web-search'));
});
