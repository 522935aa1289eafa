import { copyData } from '../../copy-data.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** The prompt of the step without system messages. Built when it is first read. */
export function withoutSystem(prompt: PromptMessages): () => PromptMessages {
  let messages: PromptMessages | undefined
  return () => {
    messages ??= copyData(prompt.filter(({ role }) => role !== 'system'))
    return messages
  }
}

/**
 * Rebuilds the prompt of a step whose request is gone, as in a resumed run: the transcript before the step's
 * response.
 */
export async function rebuildPrompt(run: Run, step: Step): Promise<PromptMessages> {
  const prompt = await run.messageList.toPrompt({ tools: step.tools })
  return prompt.slice(
    0,
    prompt.findLastIndex(({ role }) => role === 'assistant'),
  )
}
