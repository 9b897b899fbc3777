/** Headers in addition to the result. */
import { type Client, responseInfo } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const completion = await c.chat().create({ wholeReplies: true }, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Say this is a test' }] });
  const info = responseInfo(completion);
  console.log(info?.status, info?.headers.get('content-type'), info?.requestId === undefined);
  console.log(JSON.parse(JSON.stringify(completion)).choices[0].message.content);
}
