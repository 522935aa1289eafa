import { copyData } from '../../copy-data.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** What led to the step's calls, without system messages; built only when it is read. */
export function withoutSystem(prompt: PromptMessages): () => PromptMessages {
  let messages: PromptMessages | undefined
  return () => {
    messages ??= copyData(prompt.filter(({ role }) => role !== 'system'))
    return messages
  }
}

/** What led to the step, where its request is gone, as in a resumed run: the transcript before its response. */
export async function rebuildPrompt(run: Run, step: Step): Promise<PromptMessages> {
  const prompt = await run.messageList.toPrompt({ tools: step.tools })
  return prompt.slice(
    0,
    prompt.findLastIndex(({ role }) => role === 'assistant'),
  )
}
