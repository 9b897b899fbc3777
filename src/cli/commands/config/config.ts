import { accountStore } from '../../accounts/credentials.ts';
import type { Cli, Handler } from '../../cli.ts';
import { useAccount } from '../../coding/wired-tools.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { changeConfig } from '../../settings/change.ts';
import { checked, foldersOf, readSettings, unknownSetting, workingFolder } from '../../settings/settings.ts';
import { settingOf, settingRanges, settingSpecs } from '../../table/settings.ts';

interface Row {
  readonly name: string;
  readonly value: string | number | null;
  readonly origin: string | null;
}

const variables: Readonly<Record<string, string>> = { model: 'SVC_MODEL', account: 'SVC_ACCOUNT' };

/** Every setting and alias with the value that counts in this folder. */
async function rowsOf(cli: Cli): Promise<Row[]> {
  const settings = await readSettings(cli.screen.io.env);
  const { active } = await accountStore(cli).accounts();
  const aliases = [...settings.keys()].filter((name) => name.startsWith('alias.')).sort();
  return [...settingSpecs.map(({ name }) => name), ...aliases].map((name) => {
    const variable = variables[name] ?? '';
    const builtIn = name === 'account' ? active : settingOf(name)?.default;
    const { value, origin } =
      (cli.screen.io.env[variable] ? { value: cli.screen.io.env[variable], origin: variable } : undefined) ??
      settings.get(name) ??
      (builtIn === undefined ? { value: null, origin: null } : { value: builtIn, origin: name === 'account' ? 'accounts use' : 'built in' });
    return { name, value: value as Row['value'], origin };
  });
}

export const list: Handler = async (cli) =>
  cli.screen.list(await rowsOf(cli), [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'VALUE', text: ({ value }) => value },
    { title: 'ORIGIN', text: ({ origin }) => origin },
  ]);

export const get: Handler = async (cli, input) => {
  const name = input.arg(0);
  if (!settingOf(name)) throw unknownSetting(name);
  const row = (await rowsOf(cli)).find((one) => one.name === name);
  if (!row || row.value === null) throw new CliError(`${name} is not set`, exitCodes.notFound, `Run \`modelsvc config set ${name} VALUE\`.`);
  await cli.screen.result(row, () => cli.screen.clean(String(row.value)));
};

export const set: Handler = async (cli, input) => {
  const [name, text, isFolder] = [input.arg(0), input.arg(1), input.flag('folder')];
  const value = checked(name, text);
  // No host takes it.
  if (Number(value) < 0) throw usageError(`${name} must be 0 or more, not ${text}`);
  if (name === 'account') await accountStore(cli).account(text);
  // The account of all folders has one place, which `accounts` changes too.
  if (name === 'account' && !isFolder) await useAccount(cli, text);
  else {
    const folder = isFolder ? folderHere() : undefined;
    await changeConfig(cli, ({ settings, folders }) => {
      const before = folder === undefined ? settings : folders?.[folder];
      return { folder, entries: { ...before, [name]: value } };
    });
  }
  const [least, most] = settingRanges[name] ?? [];
  if (Number(value) < Number(least) || Number(value) > Number(most))
    cli.screen.note(`The service takes a ${name} from ${least} to ${most}; ${text} is for other hosts only.`);
  const row = (await rowsOf(cli).catch(() => [])).find((one) => one.name === name);
  if (row && String(row.value) !== String(value)) cli.screen.note(`Here ${row.origin} comes first: ${row.value}.`);
};

export const unset: Handler = async (cli, input) => {
  const [name, isFolder] = [input.arg(0), input.flag('folder')];
  if (name === 'account' && !isFolder) throw usageError('the active account cannot be unset', 'Choose another with `modelsvc accounts use NAME`.');
  await changeConfig(cli, ({ settings = {}, folders = {} }) => {
    const folder = isFolder ? foldersOf(folders, folderHere()).findLast((path) => Object.hasOwn(folders[path] ?? {}, name)) : undefined;
    const { [name]: value, ...entries } = (isFolder ? folders[folder ?? ''] : settings) ?? {};
    // A name that this version does not have may be removed too: the file may be wrong.
    if (value === undefined && !settingOf(name)) throw unknownSetting(name);
    if (value === undefined)
      throw new CliError(`${name} is not set${isFolder ? ' for this folder' : ''}`, exitCodes.notFound, 'Run `modelsvc config list`.');
    return { folder, entries };
  });
};

function folderHere(): string {
  const folder = workingFolder();
  if (folder === undefined) throw usageError('the working folder does not exist', 'Change to another folder.');
  return folder;
}
