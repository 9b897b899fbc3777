import { describe, expect, it } from 'vitest';
import ts from '../../scripts/typescript.mjs';
import { resolveConfig } from '../../src/overlay/call/settings/settings.ts';
import { isModelsvcError, newClient, version } from '../../src/overlay/index.ts';
import { failureOf } from '../support/spec.ts';
import { cellsOf, textOf } from './snippets.ts';

function membersOf(file: string, name: string): string[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const found = source.statements.find((one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === name);
  return (found?.members ?? []).map((member) => `\`${member.name?.getText()}\``).sort();
}

it('the guide to debugging lists every method of Hook once', () => {
  const table = /^\| method \| fires \|.*\n.*\n((?:\|.*\n)+)/m.exec(textOf('docs/guides/debugging.md'))?.[1] ?? '';
  const methods = table
    .trim()
    .split('\n')
    .map((row) => cellsOf(row)[0]);
  expect(methods.sort()).toEqual(membersOf('src/overlay/hooks/hook.ts', 'Hook'));
});

describe('the configuration guide', () => {
  const guide = textOf('docs/guides/configuration.md');
  const configTable = /^\| field \| default \|.*\n.*\n((?:\|.*\n)+)/m.exec(guide)?.[1] ?? '';
  const configRows = configTable.trim().split('\n').map(cellsOf);

  it('names every field of Config, and no other', () => {
    expect(configRows.map(([field]) => field).sort()).toEqual(membersOf('src/overlay/config.ts', 'Config'));
  });

  it('gives the defaults that a Config resolves to', async () => {
    const settings = resolveConfig({ apiKey: 'any' });
    const told = Object.fromEntries(configRows.map(([field = '', text = '']) => [field.replaceAll('`', ''), text]));
    const milliseconds = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
    const bytes = (value: number): string => (value % 1024 ** 2 === 0 ? `${value / 1024 ** 2} MiB` : `${value / 1024} KiB`);
    expect(isModelsvcError(await failureOf(() => newClient({} as never)), 'config')).toBe(true);
    expect(told).toEqual({
      apiKey: 'required',
      baseURL: `\`${settings.endpoints.chat.root}\``,
      httpClient: '`node:http(s)` on Node, `fetch` elsewhere',
      timeout: milliseconds(settings.timeoutMs),
      maxRetries: String(settings.limits.maxRetries),
      retryFor: String(settings.limits.retryForMs),
      retryDelay: milliseconds(settings.retryDelayMs),
      chinaAPIKey: settings.chinaAPIKey === settings.apiKey ? '`apiKey`' : 'another key',
      region: settings.endpoints.monitor.root.startsWith('https://api.z.ai/') ? '`RegionGlobal`' : 'another',
      userAgent: `\`${settings.userAgent.replace(version, '<version>')}\``,
      headers: settings.headers === undefined ? 'none' : 'some',
      ca: settings.config.ca === undefined ? 'none' : 'some',
      agent: settings.config.agent === undefined ? 'one of the package' : 'another',
      dangerouslyAllowBrowser: String(settings.config.dangerouslyAllowBrowser ?? false),
      hooks: settings.hooks.length === 0 ? 'none' : 'some',
      disableToolSchemaCompat: String(settings.disableToolSchemaCompat),
      endpoints: "the service's",
      wholeReplies:
        settings.endpoints.chat.isServiceHost && !resolveConfig({ apiKey: 'any', endpoints: 'http://a' }).endpoints.chat.isServiceHost
          ? 'false on its hosts'
          : 'another',
      serviceRules:
        settings.endpoints.chat.isVendor && !resolveConfig({ apiKey: 'any', endpoints: 'http://a' }).endpoints.chat.isVendor
          ? 'true on its hosts'
          : '',
      streamIdleTimeout: milliseconds(settings.streamIdleMs),
      streamContentTimeout: milliseconds(settings.streamContentMs),
      maxReplyBytes: bytes(settings.maxReplyBytes),
      maxEventBytes: bytes(settings.maxEventBytes),
      maxBufferedBytes: bytes(settings.maxBufferedBytes),
      maxErrorBytes: bytes(settings.maxErrorBytes),
      models: settings.models.size === 0 ? 'none' : 'some',
      budget: settings.purse === undefined ? 'none' : 'some',
      team: settings.config.team === undefined ? 'none' : 'some',
      concurrency: settings.gates?.options.start === undefined ? 'no limit until the service refuses' : 'some',
      // Only the transport has it.
      maxSockets: /'maxSockets', (\d+)\)/.exec(textOf('src/overlay/call/settings/settings.ts'))?.[1],
    });
  });
});
