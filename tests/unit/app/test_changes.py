"""The feed: everybody hears each event, in order, until they leave."""

import threading

from app.changes import ChangeSet, Event, Feed


def test_everybody_hears_in_order() -> None:
    feed, first, second = Feed(), list[Event](), list[Event]()
    leave = feed.subscribe(first.append)
    feed.subscribe(second.append)
    events = [ChangeSet(frozenset({"memories"}), (str(number),)) for number in range(3)]
    feed.publish(events[0])
    leave()
    leave()
    feed.publish(events[1])
    assert first == events[:1]
    assert second == events[:2]


def test_one_listener_may_subscribe_twice() -> None:
    feed, received = Feed(), list[Event]()
    listen = received.append
    feed.subscribe(listen)
    feed.subscribe(listen)
    feed.publish(ChangeSet(frozenset()))
    assert len(received) == 2


def test_leaving_while_others_publish() -> None:
    feed, received = Feed(), list[Event]()
    leaving = [feed.subscribe(received.append) for _ in range(50)]

    def publish() -> None:
        for _ in range(200):
            feed.publish(ChangeSet(frozenset()))

    threads = [threading.Thread(target=publish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for leave in leaving:
        leave()
    for thread in threads:
        thread.join()
    before = len(received)
    feed.publish(ChangeSet(frozenset()))
    assert len(received) == before
