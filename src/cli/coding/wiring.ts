// The target of a tool: root, key and models, from the options of the command and the chosen account.
import { realpathSync } from 'node:fs';
import type { Cli } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import type { CredentialSource } from '../hosts.ts';
import { checkBinding, checkedRoot, isPlanRoot } from '../hosts.ts';
import { systemWord } from '../terminal/shell-words.ts';
import { programPath } from './installed.ts';
import type { KeyMode, KeySource } from './key-source.ts';
import { planLimits, planModels, rootOf } from './plan.ts';
import type { CodingTool, Wiring } from './tool.ts';
import { variableOf } from './variables.ts';

export interface WiringOptions {
  readonly model?: string | undefined;
  readonly smallModel?: string | undefined;
  readonly keyMode?: KeyMode | undefined;
  readonly isDefault?: boolean;
  /** Use the endpoint that is billed by use, even for a tool on the vendor's list. */
  readonly isGeneral?: boolean;
}

/** Works out the wiring. Throws a CliError if the key must not go to the root, or cannot be passed in the requested way. */
export function wiringFor(cli: Cli, tool: CodingTool, credential: CredentialSource, options: WiringOptions): Wiring {
  const { region, baseUrl: given } = credential;
  const isPlan = usesPlan(cli, tool, credential, options);
  if (given !== undefined && isPlanRoot(given) && !tool.isListed)
    throw usageError(
      `${given} is the coding-plan endpoint, and ${tool.name} is not on the plan's list of tools`,
      'Use --plan-endpoint instead, after you have read its terms.',
    );
  const root = given === undefined ? rootOf(tool.surface, region, isPlan) : String(checkedRoot('--base-url', given)).replace(/\/$/, '');
  if (credential.account !== undefined) checkBinding(credential.account, credential.hosts ?? [], new URL(root).origin);
  const { model = planModels.main, smallModel = options.model ?? planModels.small } = options;
  return {
    root,
    region,
    isPlan,
    model,
    smallModel,
    ...planLimits,
    isDefault: options.isDefault === true,
    key: keySource(tool, variableOf(tool, 'load'), credential, { root, asked: options.keyMode }),
  };
}

/** A tool on the vendor's list uses the plan, except with --general-endpoint or a key that is billed by use. Others need --plan-endpoint. */
function usesPlan(cli: Cli, tool: CodingTool, { kind }: CredentialSource, { isGeneral = false }: WiringOptions): boolean {
  if (cli.values.planEndpoint === true) {
    if (isGeneral) throw usageError('--plan-endpoint and --general-endpoint exclude each other');
    return true;
  }
  return tool.isListed && !isGeneral && kind !== 'payg';
}

/** The way in which the tool gets the key: the requested one, or the first that works with this key. */
export function keySource(
  tool: Pick<CodingTool, 'name' | 'keyModes'>,
  variable: string,
  credential: CredentialSource,
  { root, asked }: { readonly root: string; readonly asked: KeyMode | undefined },
): KeySource {
  const { account, apiKey, from } = credential;
  if (asked !== undefined && !tool.keyModes.includes(asked))
    throw usageError(`${tool.name} cannot take its key by ${asked}`, `Use --key-mode ${tool.keyModes.join(' or --key-mode ')}.`);
  if (asked === 'helper' && account === undefined)
    throw usageError(`--key-mode helper needs a stored account; this key comes from ${from}`, 'Store it with `modelsvc accounts add NAME`.');
  const mode = asked ?? tool.keyModes.find((one) => one !== 'helper' || account !== undefined);
  if (mode === 'helper' && account !== undefined) return helperKey(account, root);
  if (mode === 'env') return { mode, variable };
  return { mode: 'plain', apiKey };
}

/** The command that prints the key of an account while it may go to a root. Tools run it from any folder. */
export function helperKey(account: string, root?: string): Extract<KeySource, { mode: 'helper' }> {
  const [command, ...before] = ownProgram();
  const args = [...before, 'accounts', 'token', account, ...(root === undefined ? [] : ['--for', new URL(root).origin])];
  return { mode: 'helper', program: lineOf([command, ...before]), command, args, line: lineOf([command, ...args]) };
}

function lineOf(words: readonly string[]): string {
  return words.map(systemWord).join(' ');
}

function ownProgram(): readonly [string, ...string[]] {
  const script = realpathSync(process.argv[1] ?? '');
  return isOnPath(script) ? ['modelsvc'] : [process.execPath, script];
}

/** True if `modelsvc` in a shell is this program. */
function isOnPath(script: string): boolean {
  if (process.platform === 'win32') return false;
  const found = programPath('modelsvc', process);
  return found !== undefined && realpathSync(found) === script;
}
