import pytest

from ai_smartness.capture.clean import cleaned_text


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        pytest.param(
            """Traceback (most recent call last):
  File "/home/me/app/main.py", line 10, in <module>
    run()
  File "/home/me/app/run.py", line 5, in run
    requests.get(url)
    ^^^^^^^^^^^^^^^^^
  File "/venv/lib/python3.11/site-packages/requests/api.py", line 73, in get
    return request("get", url)
  File "/usr/lib/python3.11/socket.py", line 962, in getaddrinfo
    for res in _socket.getaddrinfo(host, port):
requests.exceptions.ConnectionError: boom""",
            """Traceback (most recent call last):
  File "/home/me/app/main.py", line 10, in <module>
    run()
  File "/home/me/app/run.py", line 5, in run
    requests.get(url)
    ^^^^^^^^^^^^^^^^^
  [… 2 frames in libraries …]
requests.exceptions.ConnectionError: boom""",
            id="python",
        ),
        pytest.param(
            """TypeError: Cannot read properties of undefined (reading 'id')
    at getUser (/app/src/user.js:10:15)
    at Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
    at Array.map (<anonymous>)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async main (/app/src/main.js:3:1)""",
            """TypeError: Cannot read properties of undefined (reading 'id')
    at getUser (/app/src/user.js:10:15)
    [… 3 frames in libraries …]
    at async main (/app/src/main.js:3:1)""",
            id="node",
        ),
        pytest.param(
            """java.lang.RuntimeException: boom
\tat com.acme.App.run(App.java:12)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
\tat org.springframework.boot.SpringApplication.run(SpringApplication.java:300)
\tat com.acme.App.main(App.java:5)
Caused by: java.io.IOException: disk
\tat sun.nio.ch.FileDispatcherImpl.read0(Native Method)
\tat sun.nio.ch.SocketDispatcher.read(SocketDispatcher.java:47)
\tat sun.nio.ch.IOUtil.read(IOUtil.java:330)
\tat sun.nio.ch.IOUtil.read(IOUtil.java:300)
\t... 23 more""",
            """java.lang.RuntimeException: boom
\tat com.acme.App.run(App.java:12)
\t[… 2 frames in libraries …]
\tat com.acme.App.main(App.java:5)
Caused by: java.io.IOException: disk
\tat sun.nio.ch.FileDispatcherImpl.read0(Native Method)
\t[… 2 frames in libraries …]
\tat sun.nio.ch.IOUtil.read(IOUtil.java:300)
\t... 23 more""",
            id="java",
        ),
        pytest.param(
            """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.foo(0xc000012345)
\t/home/me/app/main.go:12 +0x1d
net/http.HandlerFunc.ServeHTTP(0x1, {0x2, 0x3})
\t/usr/local/go/src/net/http/server.go:2109 +0x2f
net/http.(*ServeMux).ServeHTTP(0x0)
\t/usr/local/go/src/net/http/server.go:2487 +0x149
main.main()
\t/home/me/app/main.go:5 +0x1d
exit status 2""",
            """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.foo(0xc000012345)
\t/home/me/app/main.go:12 +0x1d
[… 2 frames in libraries …]
main.main()
\t/home/me/app/main.go:5 +0x1d
exit status 2""",
            id="go",
        ),
        pytest.param(
            """thread 'main' panicked at src/main.rs:4:5:
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23/library/std/src/panicking.rs:578:5
   1: core::panicking::panic_fmt
             at /rustc/90c541806f23/library/core/src/panicking.rs:67:14
   2: app::foo
             at ./src/main.rs:4:5""",
            """thread 'main' panicked at src/main.rs:4:5:
stack backtrace:
   [… 2 frames in libraries …]
   2: app::foo
             at ./src/main.rs:4:5""",
            id="rust",
        ),
        pytest.param(
            """System.NullReferenceException: Object reference not set
   at Acme.Foo.Bar(String s) in /src/Foo.cs:line 12
   at System.Threading.Tasks.Task.Execute()
   at System.Threading.ThreadPool.Run(Object o)
   at Acme.Program.Main(String[] args) in /src/Program.cs:line 4""",
            """System.NullReferenceException: Object reference not set
   at Acme.Foo.Bar(String s) in /src/Foo.cs:line 12
   [… 2 frames in libraries …]
   at Acme.Program.Main(String[] args) in /src/Program.cs:line 4""",
            id="csharp",
        ),
    ],
)
def test_a_stack_trace_keeps_the_error_and_the_users_own_frames(trace: str, expected: str) -> None:
    assert cleaned_text(trace) == expected


def test_a_deep_recursion_keeps_how_it_begins_and_how_it_ends() -> None:
    frames = [f"    at walk{name} (/app/src/tree.js:{name}:1)" for name in range(1, 41)]

    assert cleaned_text("\n".join(["RangeError: too deep", *frames])).split("\n") == [
        "RangeError: too deep",
        *frames[:5],
        "    [… 30 frames …]",
        *frames[-5:],
    ]
