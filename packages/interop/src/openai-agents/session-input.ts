import { Halt, type ProcessorEntry, ProcessorPipeline, requireOptions } from '@millrace/core'
import type { AgentsItem } from './agents-types.ts'
import { itemsOfPrompt } from './items-of-prompt.ts'
import { promptOfItems } from './prompt-of-items.ts'
import { readItems } from './read-items.ts'
import { REVIEW_OPTIONS, type ReviewOptions, review, reviewPrompt } from './review.ts'

/**
 * A `sessionInputCallback` that guards the input before the session stores it: a guarded model only sees it
 * later. The stored history is not changed. A rejection fails the run before anything is stored. If a
 * processor halts, the input is stored as it is, and the guarded model returns the answer.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`
 *
 * @example
 * const runner = new Runner({ sessionInputCallback: guardSessionInput(processors) })
 */
export function guardSessionInput(
  processors: readonly ProcessorEntry[],
  given: ReviewOptions = {},
): <ITEM extends object>(history: readonly ITEM[], input: readonly ITEM[]) => Promise<ITEM[]> {
  const options = requireOptions('guardSessionInput()', given, REVIEW_OPTIONS)
  const checked = new ProcessorPipeline([...processors])
  return async <ITEM extends object>(history: readonly ITEM[], input: readonly ITEM[]) => {
    const left = await leftOfInput(checked, { history, input, options })
    return [...history, ...(left as unknown as readonly ITEM[])]
  }
}

async function leftOfInput(
  checked: ProcessorPipeline,
  {
    history,
    input,
    options,
  }: { history: readonly object[]; input: readonly object[]; options: ReviewOptions },
): Promise<readonly AgentsItem[]> {
  const given = readItems([...history, ...input], 'input')
  const before = promptOfItems(given, undefined)
  try {
    const prompt = await review(checked, options, (pipeline) => reviewPrompt(pipeline, before))
    const { items, indexOf } = itemsOfPrompt(prompt, { given, before })
    // Messages that processors add are for the model, where they are added again.
    return items.filter((item) => (indexOf(item) ?? -1) >= history.length)
  } catch (error) {
    if (!Halt.isInstance(error)) throw error
    return given.slice(history.length)
  }
}
