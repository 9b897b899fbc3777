/** Finds an option of a call among the fields of a request, which would be sent and have no effect on the call. */
import type { Rule } from '../../generated/rules.ts';
import { contextFields, isSignal } from '../context.ts';
import { fieldsOf } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';

/** Names that a request may have for something else: vLLM has `priority`. */
const shared: readonly string[] = ['model', 'priority', 'service'];

const options = Object.keys(contextFields).filter((name) => !shared.includes(name));

/** The problem of an option of a call that the operation has no field for. Without `isVendor` only an AbortSignal is one: it is not a value to send. */
export function misplaced(rule: Rule | undefined, request: unknown, isVendor = true): Problem | undefined {
  const fields = fieldsOf(request);
  const name = options.find(
    (one) => fields[one] !== undefined && fields[one] !== null && (isVendor || isSignal(fields[one])) && !Object.hasOwn(rule?.properties ?? {}, one),
  );
  return name === undefined ? undefined : new Problem(name, `is an option of the call: pass { ${name} } as the first argument`);
}
