import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { collect } from './collect.ts'
import type { TurnContent } from './script.ts'
import { ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
import type { StreamRecord } from './stream-record.ts'

/** For this package's own tests: a call to play turns with. */
export const hello: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}

/** The stream of a turn, not yet read, and what becomes of it. */
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

/** The parts of a turn's stream between those that are added. */
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
