/**
 * A request written inline may have fields that its type does not list, because the service may know more. A variable declared as the request,
 * or checked with `satisfies`, may not: a misspelt field is found there.
 */
export type Extensible<Request> = Request | (Request & { readonly [field: string]: unknown });
