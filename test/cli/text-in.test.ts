// Every text that comes in as bytes, by one rule: what is not UTF-8 text is refused before any request.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { newHome, withFake } from './support/in-process.ts';

const words = '{"text":"Grüße aus Oslo"}\nsecond\n';
const utf16 = Buffer.from(words, 'utf16le');

const bytes: Readonly<Record<string, Buffer>> = {
  'UTF-16 without a mark': utf16,
  'UTF-16, big-endian, without a mark': Buffer.from(utf16).swap16(),
  'UTF-16 with a mark': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
  'UTF-8 with a zero byte': Buffer.from(`${words}\0`),
  'Latin-1': Buffer.from(words, 'latin1'),
};

/** Commands that get the bytes on stdin. */
const byStdin = [
  'hi?',
  '',
  'chat',
  'chat hi',
  'chat -',
  'chat -f - hi',
  'chat --system @- hi',
  'chat --schema @- hi',
  'messages hi',
  'responses hi',
  'map T:{line} -O out.jsonl',
  'map @- rows.txt -O out.jsonl',
  'embeddings create',
  'embeddings create -i -',
  'rerank wet',
  'moderate',
  'tokens count',
  'images create',
  'videos create',
  'audio speak -O a.wav',
  'audio speak @- -O a.wav',
  'audio transcribe call.wav --prompt @-',
  'voices clone anna call.wav --text @-',
  'agents invoke general_translation',
  'api POST /rerank -d @-',
  'api POST /rerank -F query=@-',
  'batches run - -O out.jsonl',
];

/** Commands that get the bytes in a file. */
const byFile = [
  'chat -f odd.txt hi',
  'chat --system @odd.txt hi',
  'chat --schema @odd.txt hi',
  'chat --tool odd.txt hi',
  'map T:{line} odd.txt -O out.jsonl',
  'map @odd.txt rows.txt -O out.jsonl',
  'embeddings create -i odd.txt',
  'moderate @odd.txt',
  'tokens count @odd.txt',
  'images create @odd.txt',
  'videos create @odd.txt',
  'audio speak @odd.txt -O a.wav',
  'audio transcribe call.wav --prompt @odd.txt',
  'voices clone anna call.wav --text @odd.txt',
  'agents invoke general_translation @odd.txt',
  'api POST /rerank -d @odd.txt',
  'api POST /rerank -F query=@odd.txt',
  'batches run odd.txt -O out.jsonl',
];

async function sender(): Promise<(line: string, odd: Buffer) => Promise<{ code: number | undefined; stderr: string; requests: number }>> {
  const { fake, modelsvc } = await withFake();
  return async (line, odd) => {
    const cwd = await newHome();
    await writeFile(join(cwd, 'rows.txt'), 'row\n');
    await writeFile(join(cwd, 'call.wav'), 'RIFF0000WAVE');
    await writeFile(join(cwd, 'odd.txt'), odd);
    const before = fake.requests.length;
    const { code, stderr } = await modelsvc(line.split(' ').filter(Boolean), { cwd, ...(byFile.includes(line) ? {} : { stdin: odd }) });
    return { code, stderr, requests: fake.requests.length - before };
  };
}

describe.each(Object.entries(bytes))('%s', (_name, odd) => {
  test('is refused wherever a text comes in, before any request', async () => {
    const send = await sender();
    for (const line of [...byStdin, ...byFile]) {
      const { code, stderr, requests } = await send(line, odd);
      const place = byFile.includes(line) ? 'odd\\.txt' : 'stdin';
      const sentence = new RegExp(
        `^(0 answered, 0 failed\\n)?modelsvc: [^\\n]*${place} (is UTF-16 text|is binary[^\\n]*|is not UTF-8 text)\\n[^\\n]+\\n$`,
      );
      expect.soft({ line, code, stderr, requests }).toEqual({ line, code: 2, stderr: expect.stringMatching(sentence) as string, requests: 0 });
    }
  });
});

test('UTF-8 text comes in at each of these places', async () => {
  const send = await sender();
  for (const line of [...byStdin, ...byFile]) {
    const { stderr } = await send(line, Buffer.from(words));
    expect.soft(stderr, line).not.toMatch(/UTF|binary/);
  }
});

describe('an image as text', () => {
  const image = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

  it.each(['', 'hi?', 'chat', 'chat hi', 'messages hi', 'responses hi'])('%j names -f -, with which it is sent', async (line) => {
    const send = await sender();
    const { code, stderr, requests } = await send(line, image);
    expect({ code, stderr, requests }).toEqual({
      code: 2,
      stderr: 'modelsvc: stdin is an image (image/png), not text\nSend it as a file, with a prompt: -f - "What is this?"\n',
      requests: 0,
    });
    expect(await send(`${line === '' ? 'hi?' : line} -f -`.replace(/^(chat) -f/, '$1 hi -f'), image)).toMatchObject({ code: 0, requests: 1 });
  });

  it.each(['moderate', 'embeddings create', 'map T:{line} odd.txt -O out.jsonl'])('%j takes no image, and names its kind', async (line) => {
    const { code, stderr, requests } = await (await sender())(line, image);
    expect({ code, requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toMatch(/^(0 answered, 0 failed\n)?modelsvc: \S+ is an image \(image\/png\), not text\nPass a text\.\n$/);
  });
});
