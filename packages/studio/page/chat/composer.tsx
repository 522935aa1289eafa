import { ArrowUp } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'

interface ComposerProps {
  isBusy: boolean
  onSend: (text: string) => void
}

/** Enter sends; Shift+Enter inserts a line break. */
export function Composer({ isBusy, onSend }: ComposerProps) {
  const [text, setText] = useState('')
  const send = () => {
    if (isBusy || text.trim() === '') return
    onSend(text.trim())
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition, as in Japanese input, does not send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        className="input"
        aria-label="Your message"
        placeholder="Ask something"
        rows={1}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <button
        type="submit"
        className="button primary"
        aria-label="Send"
        disabled={isBusy || text.trim() === ''}
      >
        <ArrowUp aria-hidden size={17} />
      </button>
    </form>
  )
}
