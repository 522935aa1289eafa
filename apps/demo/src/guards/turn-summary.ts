import type { ProcessOutputResultArgs, Processor } from '@millrace/core'

/** Emits a line about the finished turn. Changes nothing. */
export class TurnSummary implements Processor<'turn-summary'> {
  readonly id = 'turn-summary'

  async processOutputResult({ result, writer }: ProcessOutputResultArgs): Promise<void> {
    const { steps, text, usage } = result
    const words = text.split(/\s+/).filter(Boolean).length
    const tools = steps.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0)
    const data = [
      counted(words, 'word'),
      counted(steps.length, 'step'),
      counted(tools, 'tool call'),
      ...(usage.totalTokens === undefined ? [] : [counted(usage.totalTokens, 'token')]),
    ].join(', ')
    await writer.write({ type: 'data-summary', data, transient: true })
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
