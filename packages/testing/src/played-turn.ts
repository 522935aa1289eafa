import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { collect } from './collect.ts'
import type { TurnContent } from './script.ts'
import { ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
import type { StreamRecord } from './stream-record.ts'

/** Call options for tests of this package. */
export const hello: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}

/** The unread stream of a turn, and its record. */
export async function open(
  turn: TurnContent,
  call: Partial<LanguageModelV4CallOptions> = {},
): Promise<{
  stream: ReadableStream<LanguageModelV4StreamPart>
  record: StreamRecord
}> {
  const model = new ScriptedModel([turn])
  const { stream } = await model.doStream({ ...hello, ...call })
  return { stream, record: model.lastStream }
}

/** The parts of a turn's stream, without the added start and finish parts. */
export async function partsOf(turn: TurnContent): Promise<LanguageModelV4StreamPart[]> {
  const added = ['stream-start', 'response-metadata', 'finish']
  return (await collect((await open(turn)).stream)).filter((part) => !added.includes(part.type))
}

export async function deltasOf(turn: TurnContent): Promise<string[]> {
  return (await partsOf(turn)).flatMap((part) => ('delta' in part ? [part.delta] : []))
}

export async function finishOf(
  turn: TurnContent,
  options?: ScriptedModelOptions,
): Promise<LanguageModelV4StreamPart | undefined> {
  const { stream } = await new ScriptedModel([turn], options).doStream(hello)
  return (await collect(stream)).find((part) => part.type === 'finish')
}

export function generate(turn: TurnContent): Promise<LanguageModelV4GenerateResult> {
  return new ScriptedModel([turn]).doGenerate(hello)
}
