import { callOptions, type ProcessInputStepArgs, type ToolSet } from '@millrace/core'
import type { Definitions } from './message-tokens.ts'

/** The definitions of the active tools and of the structured answer, which are sent in addition to the messages. */
export async function definitionsOf({
  model,
  tools,
  activeTools,
  structuredOutput,
  abortSignal,
}: Pick<
  ProcessInputStepArgs,
  'model' | 'tools' | 'activeTools' | 'structuredOutput' | 'abortSignal'
>): Promise<Definitions> {
  const all = Object.entries(tools)
  const active: ToolSet = Object.fromEntries(
    activeTools ? all.filter(([name]) => activeTools.includes(name)) : all,
  )
  const request = {
    model,
    prompt: [],
    tools: active,
    toolChoice: undefined,
    modelSettings: {},
    providerOptions: undefined,
    structuredOutput,
  }
  const { tools: described = [], responseFormat } = await callOptions(request, abortSignal)
  const views = all.flatMap(([name, { toModelOutput }]) =>
    toModelOutput ? [[name, toModelOutput] as const] : [],
  )
  return {
    texts: [...described, ...(responseFormat ? [responseFormat] : [])].map((one) => JSON.stringify(one)),
    views: new Map(views),
  }
}
