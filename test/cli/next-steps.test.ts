// An error of the command line: a line with the value at fault, and its own next step, if there is one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newHome, run } from './support/in-process.ts';

/** A command in an empty home, with files. HOME replaces its path in what is printed. */
async function printed(args: readonly string[], files: Readonly<Record<string, string>>): Promise<object> {
  const home = await newHome();
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  const { stdout, stderr, code } = await run(args, { cwd: home, env: { HOME: home, SVC_CONFIG_DIR: home, SVC_API_KEY: fakeKey } });
  return { stdout, stderr: stderr.replaceAll(home, 'HOME'), code };
}

describe('a wrong command line', () => {
  it.each<[string, string, string]>([
    ['chat --temperature hot hi', '--temperature must be a number, not "hot"', ''],
    ['chat --effort banana hi', '--effort must be off, low, medium, high or max, not "banana"', ''],
    ['chat --timeout 5parsecs hi', '--timeout must be a duration such as 500ms, 30s, 5m or 2h, not "5parsecs"', ''],
    ['chat --budget 2eur hi', '--budget must be an amount such as 0.50 or 100000tokens, not "2eur"', ''],
    ['chat --region cn hi', '--region must be global or china, not "cn"', ''],
    ['chat --base-url nope hi', '--base-url must be an absolute URL, such as https://gateway.example/v1', ''],
    ['chat --no-log --save x hi', '--save and --no-log exclude each other', ''],
    ['chat -f nope.png hi', '--file: nope.png does not exist in HOME', ''],
    ['chat --api-key-file nope.txt hi', '--api-key-file: nope.txt does not exist in HOME', ''],
    ['map {line} nope.txt', 'nope.txt does not exist in HOME', ''],
    ['map {line} /nope/nope.txt', '/nope/nope.txt does not exist', ''],
    ['map hi words.txt', 'TEMPLATE has no field', 'Write {line} where the line belongs, or {name} for a field of JSONL rows.'],
    [
      'chat --modle x hi',
      "unknown option '--modle'; did you mean --model?",
      'Run `modelsvc chat --help`. A text that begins with a dash goes after `--`.',
    ],
    ['images create', 'PROMPT is missing, and stdin is empty', 'Pass it as an argument or through a pipe.'],
    ['moderate', 'TEXT is empty: stdin has no text', 'Pass it as an argument or in a pipe.'],
    ['embeddings create', 'stdin has no text', 'Pass texts as arguments, with --input FILE, or in a pipe.'],
    ['rerank q', 'stdin has no document', 'Pass documents as arguments, or as lines in a pipe.'],
    ['api POST /chat -d {', '--data is not JSON', 'Pass JSON, @FILE, or single fields with --field NAME=VALUE.'],
    ['api GET /chat -d {}', 'a GET request has no body, so it cannot have --data', ''],
    ['completion tcsh', 'SHELL must be bash, zsh, fish or powershell, not "tcsh"', ''],
    ['help falts', 'there is no command "falts"; did you mean faults?', 'Run `modelsvc --help` for the commands.'],
    ['-n 2', "unknown command '2'", 'Run `modelsvc --help` for the commands. To ask a model, run `modelsvc chat -n 2`.'],
    ['usage --days 400', '--days must be 0 to 366, not 400', ''],
  ])('%s', async (line, message, next) => {
    const stderr = `modelsvc: ${message}\n${next === '' ? '' : `${next}\n`}`;
    expect(await printed(line.split(' '), { 'words.txt': 'a\n' })).toEqual({ stdout: '', stderr, code: 2 });
  });
});

describe('a broken file is named once', () => {
  it.each<[string, string, string, string]>([
    ['config list', 'config.json', '[1', 'config.json is broken: it is not a JSON object'],
    ['chat hi', 'config.json', '[1', 'config.json is broken: it is not a JSON object'],
    ['chat hi', 'models.yaml', 'models:\n - name: x\n', 'models.yaml: models[0].id is required'],
  ])('%s with %s', async (line, file, text, message) => {
    const stderr = `modelsvc: HOME/${message}\nRepair the file, or move it away.\n`;
    expect(await printed(line.split(' '), { [file]: text })).toEqual({ stdout: '', stderr, code: 2 });
  });

  it('after a command that does not need it', async () => {
    const stderr = 'modelsvc: HOME/config.json is broken: it is not a JSON object\n';
    expect(await printed(['completion', 'bash'], { 'config.json': '[1' })).toMatchObject({ stderr, code: 0 });
  });
});
