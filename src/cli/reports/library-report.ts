// Exit code and next step for each class of the library's errors.
import { type ApiError, isApiError, isModelsvcError, type ModelsvcError, type TimeoutError } from 'modelsvc';
import { exitCodes, type Report } from '../errors/exit.ts';
import type { Origins } from '../table/origin.ts';
import { waitText } from '../terminal/time-text.ts';
import { anyCommand, fieldProblem, wordsOf } from './option-words.ts';

/** `origins` finds the options of the command. */
export function libraryReport(error: ModelsvcError, origins: Origins = anyCommand): Report {
  const { details, next, ...report } = reportOf(error, origins);
  const bill = isModelsvcError(error, 'abort') ? '' : billWords[error.billed];
  return { ...report, next: `${next ?? ''} ${bill}`.trim() || undefined, details: { ...details, billed: error.billed } };
}

/** Whether to repeat the command. */
const billWords: Readonly<Record<ModelsvcError['billed'], string>> = {
  no: '',
  maybe: 'The call may be billed; running it again is billed once more.',
  yes: 'The call is billed; running it again is billed once more.',
};

function reportOf(error: ModelsvcError, origins: Origins): Report {
  const { kind } = error;
  const message = wordsOf(error, origins);
  if (isModelsvcError(error, 'abort')) return { exitCode: exitCodes.interrupted, message: 'interrupted', next: undefined, details: { kind } };
  if (isApiError(error)) {
    const { status, code, category, requestId, retryable, retryAfter, operation, param } = error;
    return {
      exitCode: apiExit(status, category),
      message,
      next: apiNext(error),
      details: { kind, operation, status, code, category, param, request_id: requestId, retryable, retry_after_ms: retryAfter },
    };
  }
  if (isModelsvcError(error, 'validation'))
    return {
      exitCode: exitCodes.usage,
      message: fieldProblem(error, origins) ?? message,
      next: origins(error.path)?.cure,
      details: { kind, path: error.path },
    };
  if (isModelsvcError(error, 'config'))
    return {
      exitCode: exitCodes.usage,
      message: fieldProblem(error, origins) ?? message,
      next: undefined,
      details: { kind },
    };
  if (isModelsvcError(error, 'budget'))
    return {
      exitCode: exitCodes.limit,
      message,
      next: origins('budget') && 'Raise --budget.',
      details: { kind, operation: error.operation, unit: error.unit, spent: error.spent, limit: error.limit },
    };
  if (isModelsvcError(error, 'connection', 'timeout')) {
    const { code, phase, attempts } = error;
    return {
      exitCode: exitCodes.network,
      message,
      next: isModelsvcError(error, 'timeout') ? timeoutNext(error) : 'Check the network and the proxy with `modelsvc doctor`.',
      details: { kind, code, phase, attempts },
    };
  }
  if (isModelsvcError(error, 'finish'))
    return {
      exitCode: error.category === 'content' ? exitCodes.content : exitCodes.error,
      message,
      next: undefined,
      details: { kind, reason: error.reason },
    };
  if (isModelsvcError(error, 'task'))
    return { exitCode: exitCodes.error, message, next: undefined, details: { kind, id: error.id, status: error.status, code: error.code } };
  if (isModelsvcError(error, 'output'))
    return { exitCode: exitCodes.error, message, next: 'Ask again, or loosen the schema.', details: { kind, problem: error.problem } };
  return { exitCode: exitCodes.error, message, next: undefined, details: { kind } };
}

function timeoutNext({ phase }: TimeoutError): string {
  if (phase === 'headers') return 'The service may still be working. Raise --timeout.';
  if (phase === 'body') return 'Raise --timeout.';
  return 'Check the network and the proxy with `modelsvc doctor`, or raise --timeout.';
}

function apiExit(status: number, category: string): number {
  if (category === 'auth' || category === 'account') return exitCodes.auth;
  if (category === 'rate' || category === 'quota' || category === 'billing') return exitCodes.limit;
  if (category === 'content') return exitCodes.content;
  return status === 404 ? exitCodes.notFound : exitCodes.error;
}

/** The ways of a coding plan around two calls that it does not cover. */
const onPlans: Readonly<Record<string, string>> = {
  'tools.webSearch':
    'A coding plan has no REST search: search with `modelsvc messages --web-search`, or give a coding tool the MCP server of the plan with `modelsvc coding mcp add`.',
  'tools.webReader': 'A coding plan has no REST reader: give a coding tool the MCP server of the plan with `modelsvc coding mcp add`.',
};

function apiNext({ category, code, retryAfter, advice, operation }: ApiError): string | undefined {
  if (advice.includes('needs Config.team')) return "A team's key needs --organization and --project, or an account of kind team.";
  if (advice.includes('needs no team')) return 'Leave out --organization and --project, or use an account of another kind.';
  // A model that the account may not use is reported as unknown too.
  if (code === '1211' || code === 'model_not_found') return 'See the models of the key: `modelsvc models list`.';
  if (code === '1113' && onPlans[operation]) return onPlans[operation];
  if (retryAfter !== undefined && retryAfter > 0) return `Try again in ${waitText(retryAfter)}.`;
  const other = /--region (\w+)/.exec(advice)?.[1];
  if (other !== undefined) return `For a key of the other host, pass --region ${other} or set SVC_REGION=${other}.`;
  if (advice.includes('--plan-endpoint')) return 'For a plan key, pass --plan-endpoint.';
  if (category === 'auth') return 'Test the stored key with `modelsvc accounts validate`.';
  if (category === 'quota' || category === 'billing') return 'See `modelsvc quota`.';
  if (advice !== '') return undefined;
  if (category === 'rate') return 'Try again in a minute, or send fewer calls at once.';
  return category === 'server' ? 'Try again later.' : undefined;
}
