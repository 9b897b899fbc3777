/** The input of a call of an operation, in types of the document. */

import type { operations } from '../../../generated/operations.ts';
import type { CallInput } from './build-call.ts';

/** Parameters of path, query and headers by name. */
export type ParametersOf<Operation> = Operation extends { parameters: infer Places }
  ? Flat<At<Places, 'path'> & At<Places, 'query'> & At<Places, 'header'>>
  : object;

/** The filter of a list: its query in the document, for callers. */
export type QueryOf<Id extends keyof operations> = At<operations[Id]['parameters'], 'query'>;

/** The body; with undefined if the document does not require it. */
export type BodyOf<Operation> = Operation extends { requestBody: { content: infer Types } }
  ? Types[keyof Types]
  : Operation extends { requestBody?: infer Content }
    ? ContentOf<NonNullable<Content>> | undefined
    : undefined;

type ContentOf<Content> = Content extends { content: infer Types } ? Types[keyof Types] : undefined;

/** The input of a call: `body` and `parameters` as the document has them, and the other parts of a CallInput. */
export type InputOf<Operation> = Omit<CallInput, 'body' | 'parameters'> & Given<'parameters', ParametersOf<Operation>> & BodyInput<Operation>;

type BodyInput<Operation> = undefined extends BodyOf<Operation> ? { readonly body?: BodyOf<Operation> } : { readonly body: BodyOf<Operation> };

type Given<Name extends string, Value> = keyof Value extends never
  ? { readonly [N in Name]?: undefined }
  : object extends Value
    ? { readonly [N in Name]?: Value | undefined }
    : { readonly [N in Name]: Value };

type At<Places, Name extends string> = Name extends keyof Places ? NonNullable<Places[Name]> : object;

type Flat<Fields> = { readonly [Name in keyof Fields]: Fields[Name] };
