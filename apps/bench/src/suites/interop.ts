import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Processor } from '@millrace/core'
import { guardModel } from '@millrace/interop/ai-sdk'
import type { Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

/** Calls per measured round: a single one is too short for the clock. */
const REPEATS = 20

/** The cost of processors around a model of the AI SDK, compared with reading the model's stream. */
export const interopSuite: Suite = {
  name: 'interop',
  about: 'a guarded model, compared with the model',
  async run({ quick }) {
    const model = new StreamModel(textAnswer(1_000))
    const plain = guardModel(model, [])
    const withTen = guardModel(
      model,
      Array.from({ length: 10 }, (_, index) => passes(`passes-${index}`)),
    )
    const measurements = await measure({
      ...(quick && { rounds: 15, warmups: 4 }),
      name: '1,000 text parts',
      contestants: [
        { name: 'bare model', run: () => repeat(model as LanguageModelV4) },
        { name: 'guardModel', run: () => repeat(plain) },
        { name: 'guardModel with ten processors', run: () => repeat(withTen) },
      ],
      // An agent with ten may take 5, and the returned stream costs about as much as the model's.
      budgets: { 'guardModel with ten processors': 6 },
    })
    return { measurements, figures: [] }
  },
}

function passes(id: string): Processor {
  return { id, processOutputStream: ({ part }) => part }
}

async function repeat(model: LanguageModelV4): Promise<void> {
  for (let time = 0; time < REPEATS; time++) {
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
    for await (const _ of stream) {
      // Measures only reading.
    }
  }
}
