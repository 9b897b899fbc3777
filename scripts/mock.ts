/** `npm run mock [port]`: start a mock of the spec for manual use. Default port: 4010. Use the printed URL as `endpoints`: it is the root of every surface. */
import { startMock } from '../test/support/prism.ts';

const port = Number(process.argv[2] ?? 4010);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('npm run mock -- [port]: the port must be an integer up to 65535');
  process.exit(1);
}
const { url } = await startMock(port);
console.log(`mock of spec/openapi.yaml: ${url}

  newClient({ apiKey: 'any', endpoints: '${url}' })     every operation of both surfaces
  curl -H 'authorization: Bearer any' ${url}/models
  header "prefer: example=NAME" picks a named example, "prefer: code=429" a failure`);
