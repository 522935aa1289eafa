import { Agent, type Processor, RequestContext, type RequestContextValues } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

export interface PromptRun {
  /** The texts of the prompt's messages, in order. */
  readonly texts: string[]
  readonly roles: string[]
  readonly status: string
}

/** The prompt of a turn with some processors. */
export async function promptOf(
  input: unknown,
  processors: Processor[],
  { values = {}, resourceId }: { values?: RequestContextValues; resourceId?: string } = {},
): Promise<PromptRun> {
  const model = new ScriptedModel(['Fine.'])
  const agent = new Agent({ model, processors })
  const { status } = await agent.generate(input as string, {
    requestContext: new RequestContext(values),
    trusted: true,
    ...(resourceId !== undefined && { resourceId, threadId: 'thread' }),
  })
  return { status, texts: textsOf(model), roles: model.calls.at(-1)?.prompt.map(({ role }) => role) ?? [] }
}

/** The texts of the newest prompt. */
export function textsOf(model: ScriptedModel): string[] {
  return (model.calls.at(-1)?.prompt ?? []).map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  )
}

/** Suspends every run once, behind what is listed before it. */
export const asks: Processor = {
  id: 'asks',
  processInput({ suspend, resumeData }) {
    if (resumeData === undefined) suspend()
  },
}
