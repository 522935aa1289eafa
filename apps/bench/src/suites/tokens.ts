import { countTokens } from '@millrace/tokens'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import type { Figure, Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { chatText } from '../sample-text.ts'

/** Counting tokens, compared with the tokenizer alone; also on long runs of letters, where tokenizers are quadratic. */
export const tokensSuite: Suite = {
  name: 'tokens',
  about: 'counting tokens, compared with the tokenizer alone',
  async run({ quick }) {
    const text = chatText(100_000)
    const measurements = await measure({
      name: '100 kB of chat',
      contestants: [
        { name: 'tokenizer', run: () => encode(text, { disallowedSpecial: new Set() }).length },
        { name: 'countTokens', run: () => countTokens(text) },
      ],
      budgets: { countTokens: 1.5 },
      rounds: quick ? 9 : 31,
    })
    const run = 'x'.repeat(160_000)
    const started = performance.now()
    await countTokens(run)
    const figures: Figure[] = [
      {
        name: '160,000 letters without a space',
        value: performance.now() - started,
        unit: 'ms',
        budget: 1_000,
      },
    ]
    return { measurements, figures }
  },
}
