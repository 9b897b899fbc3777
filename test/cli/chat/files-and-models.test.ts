// The model of a question with files: what the user set stays, or is replaced with a note.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

const commands = ['chat', 'messages', 'responses'] as const;
const replaced = /^glm-5\.2 takes no images: glm-5\.3-flash is asked\. `modelsvc config set vision-model ID` names another\.$/m;

async function place() {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  await writeFile(join(home, 'photo.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  const asked = async (args: readonly string[], env: Record<string, string> = {}, stdin = '') => {
    const before = fake.requests.length;
    const { stderr, code } = await modelsvc(args, { cwd: home, env: { HOME: home, ...env }, stdin });
    const { model } = (fake.requests[before]?.body ?? {}) as { model?: string };
    return { model, notes: stderr.split('\n').filter((line) => / takes no |does not end like/.test(line)), code };
  };
  return { home, fake, modelsvc, asked };
}

describe.each(commands)('%s with a picture', (command) => {
  test.each<[settings: Record<string, string>, env: Record<string, string>, args: string[], model: string, note?: RegExp]>([
    [{}, {}, [], 'glm-5.3-flash'],
    [{ model: 'glm-4.6v' }, {}, [], 'glm-4.6v'],
    [{ model: 'my-model' }, {}, [], 'my-model'],
    [{ 'alias.eyes': 'glm-4.6v', model: 'eyes' }, {}, [], 'glm-4.6v'],
    [{ model: 'glm-5.2' }, {}, [], 'glm-5.3-flash', replaced],
    [{ model: 'glm-4.6v', 'vision-model': 'glm-4.5v' }, {}, [], 'glm-4.5v'],
    [{ model: 'glm-5.2', 'vision-model': 'glm-4.5v' }, {}, [], 'glm-4.5v'],
    [{ model: 'glm-5.2' }, { SVC_MODEL: 'glm-4.6v' }, [], 'glm-4.6v'],
    [{ model: 'glm-4.6v' }, { SVC_MODEL: 'glm-5.2' }, [], 'glm-5.2', /^glm-5\.2 takes no images: the service may refuse it\.$/m],
    [{ model: 'glm-4.6v' }, {}, ['-m', 'glm-5.2'], 'glm-5.2', /^glm-5\.2 takes no images: the service may refuse it\.$/m],
    [{ 'vision-model': 'glm-4.5v' }, {}, ['-m', 'glm-4.6v'], 'glm-4.6v'],
  ])('settings %j, variables %j and options %j ask %s', async (settings, env, args, model, note) => {
    const { modelsvc, home, asked } = await place();
    for (const [name, value] of Object.entries(settings)) await modelsvc(['config', 'set', name, value], { env: { HOME: home } });
    const { notes, ...ended } = await asked([command, 'Look', '-f', 'photo.png', ...args], env);
    expect(ended).toEqual({ model, code: 0 });
    if (note) expect(notes).toEqual([expect.stringMatching(note)]);
    else expect(notes).toEqual([]);
  });

  test('keeps the model of its conversation if it sees, and replaces it with a note if not', async () => {
    const { asked } = await place();
    await asked([command, '-m', 'glm-4.6v', 'Hi']);
    expect(await asked([command, '-c', 'Look', '-f', 'photo.png'])).toEqual({ model: 'glm-4.6v', notes: [], code: 0 });
    await asked([command, '-m', 'glm-5.2', 'Hi']);
    expect(await asked([command, '-c', 'Look', '-f', 'photo.png'])).toMatchObject({
      model: 'glm-5.3-flash',
      notes: [expect.stringMatching(replaced)],
    });
  });

  test.each(['https://example.com/page.html', 'https://example.com/', 'https://example.com/image', 'https://example.com/a.php?x=a.png'])(
    'refuses the link %s, which is probably a page, before any request',
    async (link) => {
      const { fake, modelsvc } = await withFake();
      const { stderr, code } = await modelsvc([command, 'Look', '-f', link]);
      expect({ code, requests: fake.requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(`--file: ${link} does not end like an image, a video or a document`);
      expect(stderr).toContain('run `modelsvc read URL | modelsvc chat …`. For an image, add --as image.');
      expect((await modelsvc([command, 'Look', '-f', link, '--as', 'image'])).code).toBe(0);
      expect(JSON.stringify(fake.requests[0]?.body)).toContain(link);
    },
  );
});

test('the repl goes by the same rules', async () => {
  const { modelsvc, home, asked } = await place();
  const page = 'https://example.com/page';
  await modelsvc(['config', 'set', 'model', 'glm-5.2'], { env: { HOME: home } });
  const lines = (...more: string[]): string => `${more.join('\n')}\n`;
  expect(await asked(['chat', 'repl'], {}, lines(`/file ${page}`, '/file https://example.com/a.png', 'Look'))).toEqual({
    model: 'glm-5.3-flash',
    notes: [expect.stringContaining(`${page} does not end like an image`), expect.stringMatching(replaced)],
    code: 2,
  });
  await modelsvc(['config', 'set', 'model', 'glm-4.6v'], { env: { HOME: home } });
  expect(await asked(['chat', 'repl'], {}, lines(`/file ${page} --as image`, 'Look'))).toEqual({ model: 'glm-4.6v', notes: [], code: 0 });
});

test.each(['chat', 'map', 'chat repl'])('%s takes any JSON with --schema {}', async (command) => {
  const { fake, modelsvc } = await withFake();
  const args = [...command.split(' '), ...(command === 'chat repl' ? [] : ['{line}'])];
  fake.chat.reply('{ "a": [1] }');
  expect((await modelsvc([...args, '--schema', '{}'], { stdin: 'a\n' })).stdout).toContain(command === 'map' ? '"output":{"a":[1]}' : '{"a":[1]}\n');
  expect(fake.requests[0]?.body).toMatchObject({ response_format: { type: 'json_object' } });
});
