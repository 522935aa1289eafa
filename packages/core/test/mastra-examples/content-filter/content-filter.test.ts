import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, it } from 'vitest'
import { variants } from '../variants.ts'
import { ContentFilter } from './annotated.ts'

expect.extend(matchers)

describe.each(await variants('content-filter', ContentFilter))(
  'ContentFilter, $version, by $way',
  ({ Example, run }) => {
    const processors = [new Example(['umbrella', 'parasol'])]

    it('blocks on input, before the model is called', async () => {
      const model = new ScriptedModel(['Yes.'])
      const { result, delivered, chunks } = await run(
        new Agent({ model, processors }),
        'Do I need an umbrella?',
      )

      expect(result).toHaveTripped({
        processorId: 'content-filter',
        hook: 'processInput',
        reason: 'Blocked content detected in input',
      })
      expect(delivered).toBe('')
      expect(model.callCount).toBe(0)
      if (chunks.length > 0) expect(chunks).toHaveChunkTypes(['start', 'tripwire'])
    })

    it('blocks in the stream, and takes back what came before', async () => {
      const model = new ScriptedModel(['Take the blue parasol with you, it rains.'])
      const { result, delivered, chunks } = await run(new Agent({ model, processors }), 'What do I need?')

      expect(result).toHaveTripped({
        processorId: 'content-filter',
        hook: 'processOutputStream',
        reason: 'Blocked content detected in output',
      })
      expect(delivered).toBe('')
      expect(result.messages).toEqual([])
      expect(result).toLeakNothingOf(['Take the blue', 'parasol'])
      expect(chunks).toLeakNothingOf('parasol')
      expect(model.lastStream.outcome).toBe('cancelled')
      if (chunks.length > 0) {
        expect(chunks).toHaveChunkTypes(
          ['start', 'step-start', 'text-start', 'text-delta', 'step-discarded', 'tripwire'],
          { mergeDeltas: true },
        )
      }
    })

    it('lets everything else pass', async () => {
      const model = new ScriptedModel(['Take a coat with you, it rains.'])
      const { result, delivered } = await run(new Agent({ model, processors }), 'What do I need?')

      expect(result).toBeCompleted()
      expect(result).toHaveText('Take a coat with you, it rains.')
      expect(delivered).toBe('Take a coat with you, it rains.')
      expect(model.lastPrompt).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'What do I need?' }] },
      ])
    })
  },
)
