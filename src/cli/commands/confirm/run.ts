import { existsSync } from 'node:fs';
import { version } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import { readText } from '../../files/text.ts';
import { type CredentialSource, isPlanRoot } from '../../hosts.ts';
import type { Input } from '../../input/input.ts';
import { resumeNote } from '../../transfer/waiting.ts';
import { type Bundle, readBundle } from './bundle.ts';
import { readClaims, selected } from './claims.ts';
import { ConfirmRun } from './confirm-run.ts';
import { type ProbePlan, planOf } from './plan.ts';
import { type ClaimProbe, chatPath, type KeyKind } from './probes/probe.ts';
import { probesOf } from './probes/table.ts';
import { Vocabulary } from './reply.ts';
import { type ConfirmReport, planJson, planText, questionText, reportText } from './screen.ts';
import { ProbeSender } from './sender.ts';
import { type ClaimVerdict, verdictOf } from './verdicts.ts';

export const run: Handler = async (cli, input) => {
  const claims = await readClaims(input.text('evidence'));
  const chosen = selected(claims, input.list('claim'), input.list('kind'));
  const resumed = await resumedBundle(input, new Set(claims.keys()));
  const probes = probesOf(claims);
  const credential = await cli.credential();
  const kind = await keyKind(cli, credential);
  const wire = new ProbeSender(cli, await cli.client(), credential.apiKey);
  const chat = probes.find(({ template }) => template === chatPath);
  const host = chat === undefined ? '' : (await wire.urlOf(chat)).host;
  checkResumed(resumed, host, kind);
  const plan = await planOf({
    probes,
    selected: chosen,
    kind,
    isAll: input.flag('all'),
    answered: new Set(resumed?.answered.map(({ probe }) => probe)),
    urlOf: (probe) => urlOrReason(cli, wire, probe),
  });
  const scope = { plan, probes, chosen, kind };
  if (cli.isDryRun) return cli.output.result(planJson(scope), () => planText(scope));
  const file = input.text('resume') ?? bundleFile(input, host);
  cli.output.note(planText(scope).trimEnd());
  if (plan.send.length === 0 && resumed === undefined)
    throw usageError('no request can be sent for these claims', 'Run it with --dry-run for the reasons.');
  if (plan.send.length > 0) await cli.confirm(questionText(scope, credential.from));
  const head = { package: version, host, key: kind, date: resumed?.date ?? new Date().toISOString().slice(0, 10) };
  const session = new ConfirmRun(
    {
      cli,
      wire,
      claims,
      words: new Vocabulary([claims, await readClaims(undefined)]),
      apiKey: credential.apiKey,
      file,
      head,
      parts: partsOf(probes),
      resume: resumeNote(cli, ['confirm', '--resume', file, ...resumeWords(input)]),
    },
    resumed?.answered ?? [],
  );
  await session.run(plan.send);
  const verdicts = verdictsOf(probes, chosen, session, plan);
  const report: ConfirmReport = { host, key: kind, date: head.date, bundle: session.answered.length === 0 ? undefined : file, verdicts };
  await cli.output.result(report, () => reportText(report, cli.output.paint));
  const isPartial = [...session.unanswered.values()].some((why) => why.startsWith('not reachable'));
  if (isPartial && cli.interruptNote !== undefined) cli.output.note(cli.interruptNote);
  return isPartial ? exitCodes.partial : exitCodes.ok;
};

/** A stored key may be bound to other hosts. */
async function urlOrReason(cli: Cli, wire: ProbeSender, probe: ClaimProbe): Promise<URL | string> {
  try {
    return await wire.urlOf(probe);
  } catch (error) {
    cli.signal.throwIfAborted();
    cli.refusal = undefined;
    return error instanceof Error ? error.message : 'its root cannot be used';
  }
}

/** A plan key is used where a plan key may be used, and after the acknowledgement of `--plan-endpoint`. */
async function keyKind(cli: Cli, { kind, account, baseUrl }: CredentialSource): Promise<KeyKind> {
  const root = cli.values.baseUrl ?? baseUrl;
  if (kind !== 'plan' && cli.values.planEndpoint !== true) return 'payg';
  if (cli.values.planEndpoint !== true) {
    if (root === undefined || isPlanRoot(root))
      throw usageError(
        `account ${account ?? ''} has the key of a coding plan`,
        'Pass --plan-endpoint, after you have read its terms, or use another key.',
      );
    await (await import('../../accounts/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  }
  return 'plan';
}

async function resumedBundle(input: Input, claimIds: ReadonlySet<string>): Promise<Bundle | undefined> {
  const file = input.text('resume');
  if (file === undefined) return undefined;
  if (input.text('bundle') !== undefined) throw usageError('--resume and --bundle exclude each other', 'The run continues in the file of --resume.');
  return readBundle(file, await readText('--resume', file), { package: version, claimIds });
}

function checkResumed(bundle: Bundle | undefined, host: string, kind: KeyKind): void {
  if (bundle === undefined) return;
  if (bundle.host !== host)
    throw usageError(
      `--resume: the bundle is from ${bundle.host}, and the requests would go to ${host}`,
      'Select the host of the bundle, or begin a new one.',
    );
  if (bundle.key !== kind)
    throw usageError('--resume: the bundle is from a key of another kind', 'Use a key of the same kind, or begin a new bundle.');
}

function bundleFile(input: Input, host: string): string {
  const file = input.text('bundle') ?? `modelsvc-confirm-${host.replace(/[^\w.-]/g, '-')}.json`;
  if (existsSync(file) && !input.flag('force'))
    throw usageError(`${file} exists`, 'Continue its run with --resume, write to another file with --bundle, or overwrite it with --force.');
  return file;
}

function resumeWords(input: Input): string[] {
  const evidence = input.text('evidence');
  return [
    ...(input.flag('all') ? ['--all'] : []),
    ...input.list('claim').flatMap((id) => ['--claim', id]),
    ...input.list('kind').flatMap((kind) => ['--kind', kind]),
    ...(evidence === undefined ? [] : ['--evidence', evidence]),
  ];
}

/** The probes of each claim that needs all of them. */
function partsOf(probes: readonly ClaimProbe[]): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  for (const { name, judges } of probes)
    for (const { claim, isPart } of judges) if (isPart) parts.set(claim.id, [...(parts.get(claim.id) ?? []), name]);
  return parts;
}

/** The verdict on each selected claim that has a probe. */
function verdictsOf(probes: readonly ClaimProbe[], chosen: ReadonlySet<string>, session: ConfirmRun, plan: ProbePlan): ClaimVerdict[] {
  const left = new Map(plan.left.map(({ probe, why }) => [probe.name, why]));
  const findings = session.answered.flatMap((one) => one.findings);
  const open = new Map<string, { isPart: boolean; why: string }[]>();
  for (const { name, judges } of probes) {
    const why = session.unanswered.get(name) ?? left.get(name);
    if (why !== undefined) for (const { claim, isPart = false } of judges) open.set(claim.id, [...(open.get(claim.id) ?? []), { isPart, why }]);
  }
  const ids = [...new Set(probes.flatMap(({ judges }) => judges.map(({ claim }) => claim.id)))].filter((id) => chosen.has(id)).sort();
  return ids.map((id) =>
    verdictOf(
      id,
      findings.filter((one) => one.id === id),
      open.get(id) ?? [],
    ),
  );
}
