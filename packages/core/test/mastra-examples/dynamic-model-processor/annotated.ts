import type { ProcessInputStepArgs, ProcessInputStepResult, Processor } from '@millrace/core'

export class DynamicModelProcessor implements Processor {
  id = 'dynamic-model'

  async processInputStep({ stepNumber, steps }: ProcessInputStepArgs): Promise<ProcessInputStepResult> {
    // Use a fast model for initial response
    if (stepNumber === 0) {
      return { model: 'openai/gpt-4o-mini' }
    }

    // Switch to powerful model after tool calls
    if (steps.length > 0 && steps[steps.length - 1]?.toolCalls?.length) {
      return { model: 'openai/gpt-4o' }
    }

    // Disable tools after 5 steps to force completion
    if (stepNumber > 5) {
      return { toolChoice: 'none' }
    }

    return {}
  }
}
