import type { FunctionDefinition, ResponseFormat, Tool } from '../../generated/types.ts';

/** Natural end, or a stop word. */
export const FinishReasonStop = 'stop';
/** The model wants tools run. */
export const FinishReasonToolCalls = 'tool_calls';
/** The token cap was reached: the answer is cut. */
export const FinishReasonLength = 'length';
/** Stopped by the content check; text already shown may need to be withdrawn. */
export const FinishReasonSensitive = 'sensitive';
/** Prompt and output exceed the model's window. */
export const FinishReasonModelContextWindowExceeded = 'model_context_window_exceeded';
/** Inference failed inside the service. */
export const FinishReasonNetworkError = 'network_error';

export const ToolTypeFunction = 'function';
export const ToolTypeRetrieval = 'retrieval';
export const ToolTypeWebSearch = 'web_search';

/** Rounds that `runWithTools` makes at most. */
export const ToolMaxRounds = 8;
/** Function tools that one chat request may carry. */
export const ToolMaxFunctions = 128;

/** A function the model may call. `parameters` is a JSON Schema of an object; leave it out for a function without arguments. */
export function newFunctionTool(name: string, description: string, parameters?: FunctionDefinition['parameters']): Tool {
  return { type: ToolTypeFunction, function: parameters === undefined ? { name, description } : { name, description, parameters } };
}

/** A knowledge base to ground the answer on. `prompt` is a template with `{{knowledge}}` and `{{question}}`. Evidence: documented, not seen live. */
export function newRetrievalTool(knowledgeID: string, prompt?: string): Tool {
  return {
    type: ToolTypeRetrieval,
    retrieval: prompt === undefined ? { knowledge_id: knowledgeID } : { knowledge_id: knowledgeID, prompt_template: prompt },
  };
}

/** Let the service search the web, for these queries or for what the model asks. Evidence: documented, not seen live. */
export function newWebSearchTool(...queries: string[]): Tool {
  return { type: ToolTypeWebSearch, web_search: { search_query: queries } };
}

/** Ask for an answer of this JSON Schema. The vendor documents only `text` and `json_object`; evidence: sdk-only. */
export function newJSONSchemaFormat(name: string, schema: Record<string, unknown>, strict: boolean): ResponseFormat {
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}
