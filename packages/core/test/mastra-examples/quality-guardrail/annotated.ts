import type { MastraDBMessage, ProcessOutputStepArgs, Processor } from '@millrace/core'
import { evaluateResponseQuality } from './evaluate-response-quality.ts'

export class QualityGuardrail implements Processor {
  id = 'quality-guardrail'

  async processOutputStep({ text, abort, retryCount }: ProcessOutputStepArgs): Promise<MastraDBMessage[]> {
    const score = await evaluateResponseQuality(text)

    if (score < 0.7) {
      if (retryCount < 3) {
        // Request retry with feedback for the LLM
        abort('Response quality too low. Please provide more detail.', {
          retry: true,
          metadata: { qualityScore: score },
        })
      } else {
        // Max retries reached, block the response
        abort('Response quality too low after multiple attempts.')
      }
    }

    return []
  }
}
