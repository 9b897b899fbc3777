import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as modelsvc from '../../src/overlay/index.ts';

const folder = new URL('../../src/overlay/services/', import.meta.url);
const services = readdirSync(folder).flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^export class (\w+)/gm)]);

/** Every name that exists at run time but the classes of services, sorted. A name that goes is a breaking change; one that comes is a promise. */
const names = [
  'AbortError',
  'ApiError',
  'BudgetError',
  'Client',
  'ConfigError',
  'ConnectionError',
  'FinishError',
  'FinishReasonLength',
  'FinishReasonModelContextWindowExceeded',
  'FinishReasonNetworkError',
  'FinishReasonSensitive',
  'FinishReasonStop',
  'FinishReasonToolCalls',
  'ModelsvcError',
  'OutputError',
  'QueueError',
  'RegionChina',
  'RegionGlobal',
  'ReplyError',
  'StreamError',
  'TaskError',
  'TimeoutError',
  'ToolLoopError',
  'ToolMaxFunctions',
  'ToolMaxRounds',
  'ToolTypeFunction',
  'ToolTypeRetrieval',
  'ToolTypeWebSearch',
  'ValidationError',
  'answerDeltas',
  'answerOf',
  'anthropicTextMessage',
  'batchCounts',
  'cachedShare',
  'collect',
  'collecting',
  'contentText',
  'defineTool',
  'estimateCost',
  'explainToolSchema',
  'finishError',
  'firstModel',
  'imageBlock',
  'imagePart',
  'isApiError',
  'isModelsvcError',
  'mapCalls',
  'newBudget',
  'newClient',
  'newClientFromEnv',
  'newFunctionTool',
  'newJSONSchemaFormat',
  'newRetrievalTool',
  'newWebSearchTool',
  'opened',
  'outputFormat',
  'responseInfo',
  'sanitizeToolSchemas',
  'speechBytes',
  'textDeltas',
  'toReadableStream',
  'toResponse',
  'toSSE',
  'toolRun',
  'usageMeter',
  'version',
  'webSearchOf',
  'withModel',
  'withService',
  'withoutSecrets',
];

it('the public names are these and no others', () => {
  const classes = services.map(([, name]) => name);
  expect(
    Object.keys(modelsvc)
      .filter((name) => !classes.includes(name))
      .sort(),
  ).toEqual(names);
});

it('the list is sorted', () => {
  expect([...names].sort()).toEqual(names);
});

it('none of them is undefined', () => {
  expect(Object.entries(modelsvc).filter(([, value]) => value === undefined)).toEqual([]);
});
