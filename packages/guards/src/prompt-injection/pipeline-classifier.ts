import { MillraceError } from '@millrace/core'
import type { InjectionClassifier } from './own-classifier.ts'

/** A class and how likely a text belongs to it, from 0 to 1. */
export interface ClassScore {
  readonly label: string
  readonly score: number
}

/** What `pipeline('text-classification', …)` of `@huggingface/transformers` resolves to. `top_k: null` asks for all classes. */
export type TextClassification = (text: string, options: { top_k: null }) => PromiseLike<unknown>

export interface PipelineClassifierOptions {
  /** The names of the model's classes that are attacks: see `id2label` of its `config.json`. */
  readonly attacks: readonly string[]
}

/**
 * A classifier by an ONNX model that a pipeline of `@huggingface/transformers` runs. Pass a function that makes the pipeline, and it
 * loads with the first text, once.
 *
 * @throws MillraceError `CONFIG_INVALID` if no class is named, or with the first text if the model has none of them
 */
export function pipelineClassifier(
  pipeline: TextClassification | (() => PromiseLike<TextClassification>),
  { attacks }: PipelineClassifierOptions,
): InjectionClassifier {
  if (attacks.length === 0) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'attacks is empty. Name the classes of the model that are attacks.',
    )
  }
  const wanted = new Set(attacks)
  let loading: PromiseLike<TextClassification> | undefined
  const load = async (): Promise<TextClassification> => {
    // A pipeline is a function too, and has a tokenizer.
    if ('tokenizer' in pipeline) return pipeline as TextClassification
    loading ??= (pipeline as () => PromiseLike<TextClassification>)()
    try {
      return await loading
    } catch (error) {
      loading = undefined
      throw error
    }
  }
  return async (text) => {
    const classify = await load()
    const scores = scoresOf(await classify(text, { top_k: null }))
    const found = scores.filter(({ label }) => wanted.has(label))
    if (found.length === 0) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The model has none of the classes ${attacks.join(', ')}. It has: ${scores.map(({ label }) => label).join(', ')}.`,
      )
    }
    return Math.min(
      1,
      found.reduce((sum, { score }) => sum + score, 0),
    )
  }
}

/** Of one text, which some versions put into a list of its own. */
function scoresOf(output: unknown): readonly ClassScore[] {
  const list: readonly unknown[] = Array.isArray(output) ? output.flat() : [output]
  return list.filter((each): each is ClassScore => {
    const { label, score } = (each ?? {}) as Partial<ClassScore>
    return typeof label === 'string' && typeof score === 'number'
  })
}
