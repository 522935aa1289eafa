/** A transformation of a text that arrives in chunks. The output does not depend on how the text is cut. */
export interface TextPass {
  push(piece: string): string
  end(): string
}

/** Runs transformations one after the other. */
export function chain(passes: readonly TextPass[]): TextPass {
  return {
    push(piece) {
      let text = piece
      for (const pass of passes) text = pass.push(text)
      return text
    },
    end() {
      let text = ''
      for (const pass of passes) text = pass.push(text) + pass.end()
      return text
    },
  }
}

/** Changes a whole text. */
export function transformWhole(text: string, pass: TextPass): string {
  return pass.push(text) + pass.end()
}
